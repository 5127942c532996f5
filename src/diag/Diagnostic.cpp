#include "diag/Diagnostic.h"
#include "support/Check.h"
#include "support/Nearest.h"
#include <algorithm>
#include <tuple>

namespace tessera::diag {

const std::vector<Row> &rows() {
  static const std::vector<Row> table = {
#define TSR_DIAG(code, name, severity, text) {Id::name, #code, #name, Severity::severity, text},
#include "diag/Diagnostics.def"
#undef TSR_DIAG
  };
  return table;
}

const Row &row(Id id) { return rows()[static_cast<size_t>(id)]; }

const Row *rowByCode(std::string_view code) {
  for (const Row &r : rows())
    if (r.code == code) return &r;
  return nullptr;
}

namespace {
std::string fill(std::string_view text, const std::vector<std::string> &holes) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' && i + 2 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9' && text[i + 2] == '}') {
      size_t hole = static_cast<size_t>(text[i + 1] - '0');
      TSR_CHECK(hole < holes.size(), "diagnostic text has a hole that was not given: " + std::string(text));
      out += holes[hole];
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}
}  // namespace

Builder &Builder::label(std::string text) {
  diagnostic_->label = std::move(text);
  return *this;
}
Builder &Builder::note(Span span, std::string text) {
  diagnostic_->notes.push_back({span, std::move(text)});
  return *this;
}
Builder &Builder::fix(Span span, std::string replacement, std::string title) {
  diagnostic_->fixes.push_back({span, std::move(replacement), std::move(title), Applicability::Certain});
  return *this;
}
Builder &Builder::suggest(Span span, std::string replacement, std::string title) {
  diagnostic_->fixes.push_back({span, std::move(replacement), std::move(title), Applicability::Suggestion});
  return *this;
}
Builder &Builder::assume(Span span, std::string replacement, std::string title) {
  diagnostic_->fixes.push_back({span, std::move(replacement), std::move(title), Applicability::Assumption});
  return *this;
}
Builder &Builder::settled() {
  diagnostic_->settled = true;
  return *this;
}

Builder Engine::add(Id id, Span span, std::vector<std::string> holes) {
  const Row &r = row(id);
  diagnostics_.push_back({id, r.severity, span, fill(r.text, holes), {}, {}, {}, false});
  if (r.severity == Severity::Error) ++errors_;
  return Builder(&diagnostics_.back());
}

std::vector<const Diagnostic *> Engine::byCause() const {
  std::vector<const Diagnostic *> order;
  for (const Diagnostic &d : diagnostics_) order.push_back(&d);
  auto key = [](const Diagnostic &d) {
    bool readsText = row(d.id).code.substr(0, 3) == "E01";
    int phase = !d.span.valid() ? 0 : readsText ? 1 : 2;
    return std::make_tuple(phase, ~d.span.file, d.span.begin, &d);  // equal places: as they were reported
  };
  std::sort(order.begin(), order.end(), [&](const Diagnostic *a, const Diagnostic *b) { return key(*a) < key(*b); });
  return order;
}

void Engine::replace(std::vector<Diagnostic> diagnostics) {
  truncate(0);
  for (Diagnostic &d : diagnostics) append(std::move(d));
}

void Engine::truncate(size_t count) {
  while (diagnostics_.size() > count) {
    if (diagnostics_.back().severity == Severity::Error) --errors_;
    diagnostics_.pop_back();
  }
}

std::string counted(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string_view didYouMean(std::string_view name, const std::vector<std::string_view> &candidates) {
  return nearestName(name, candidates);
}

}  // namespace tessera::diag
