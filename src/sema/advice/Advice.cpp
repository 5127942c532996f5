#include "sema/advice/Advice.h"
#include "diag/Edits.h"
#include "frontend/Parser.h"
#include "sema/advice/Candidates.h"
#include "sema/advice/Excerpt.h"
#include "sema/advice/Origins.h"
#include "sema/advice/Slips.h"
#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tessera::sema {
namespace {

/// At most so many bytes of program are checked again for all messages together, and so many times. With what a check
/// costs, that is less than 100 ms.
constexpr size_t kMostBytes = 192u << 10, kMostTrials = 40, kMostSteps = 20'000;

/// How titles of edits begin that assume a fact (Checker::suggestFact).
constexpr std::string_view kAssumption = "if it is so";

/// How often a message was given, and about which words. Places move with an edit, so they do not count.
struct Said {
  int times = 0;
  std::set<std::string, std::less<>> words;
};
using Messages = std::map<std::pair<diag::Id, std::string>, Said>;
Messages messagesOf(const std::vector<diag::Diagnostic> &diagnostics, size_t from, const Sources &sources) {
  Messages messages;
  for (size_t i = from; i < diagnostics.size(); ++i) {
    const diag::Diagnostic &d = diagnostics[i];
    Said &said = messages[{d.id, d.message}];
    ++said.times;
    if (d.span.valid()) said.words.emplace(sources.text(d.span));
  }
  return messages;
}

/// The part of the program that an edit is tried in, and what is said about it without the edit.
struct Part {
  Excerpt excerpt;
  Messages before;
};

class Trials {
public:
  Trials(const ast::Module &module, const Sources &sources, const ModuleLoader &load,
         const CheckOptions &options, Messages all)
      : module_(module), sources_(sources), load_(load),
        options_(options), whole_{Excerpt(text()), std::move(all)} {
    options_.advice = false;
    options_.onFunction = nullptr;
    options_.mostSteps = std::min(options_.mostSteps, kMostSteps);
  }

  /// Where edits for this message are tried: the function it is about alone, if it is said there, too.
  const Part &partFor(const diag::Diagnostic &target, const Place &place) {
    const Part *&known = partOf_[place.outermost];
    if (!known || !place.outermost) known = &partAt(target.span);
    return known->before.count({target.id, target.message}) ? *known : whole_;
  }

  /// Whether this edit takes the message away and brings no other.
  /// `untried`: what is said where that could not be tried.
  bool mends(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part, bool untried = false) {
    size_t trials = trials_;
    auto after = with(fix, part);
    if (trials == trials_) return untried;
    return after && isGone(*after, target, part.before, fix) &&
           std::all_of(after->begin(), after->end(), [&](const auto &entry) {
             auto it = part.before.find(entry.first);
             return it != part.before.end() && entry.second.times <= it->second.times;
           });
  }

  /// Whether it takes the message away, whatever comes to light then. Also true where that could not be tried.
  bool helps(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part) {
    size_t trials = trials_;
    auto after = with(fix, part);
    return trials == trials_ || (after && isGone(*after, target, part.before, fix));
  }

private:
  const Part &partAt(Span place) {
    Part part{Excerpt(module_, text(), place), {}};
    if (part.excerpt.isWhole()) return whole_;
    std::string shown = *part.excerpt.text();
    auto [it, isNew] = parts_.try_emplace(shown, std::move(part));
    if (isNew)
      if (auto messages = check(std::move(shown))) it->second.before = std::move(*messages);
    return it->second;
  }
  const std::string &text() const { return sources_.file(module_.file).text; }

  /// Whether a message is said less often, or about other words that it hid: the same mistake further on. Words that
  /// the edit itself changes tell nothing.
  bool isGone(const Messages &after, const diag::Diagnostic &target, const Messages &before, const diag::Fix &fix) const {
    auto now = after.find({target.id, target.message});
    const Said &then = before.at({target.id, target.message});
    if (now == after.end() || now->second.times < then.times) return true;
    bool apart = fix.span.end <= target.span.begin || target.span.end <= fix.span.begin;
    return apart && now->second.times == then.times && !now->second.words.count(sources_.text(target.span));
  }

  std::optional<Messages> with(const diag::Fix &fix, const Part &part) {
    if (fix.span.file != module_.file) return std::nullopt;
    auto edited = part.excerpt.text(&fix);
    return edited ? check(std::move(*edited)) : std::nullopt;
  }

  /// What is said about the module with this text; nothing if it cannot be read, or enough was tried already.
  std::optional<Messages> check(std::string text) {
    size_t size = text.size();
    for (FileId id = 0; id < sources_.size(); ++id)
      if (id != module_.file) size += sources_.file(id).text.size();
    if (trials_ == kMostTrials || bytes_ + size > kMostBytes) return std::nullopt;
    ++trials_;
    bytes_ += size;
    Sources edited;
    for (FileId id = 0; id < sources_.size(); ++id) {
      const SourceFile &file = sources_.file(id);
      edited.add(file.path, id == module_.file ? std::move(text) : file.text);
    }
    diag::Engine diagnostics;
    auto module = frontend::parse(edited, module_.file, diagnostics);
    if (diagnostics.hasErrors()) return std::nullopt;
    // A module that is loaded only now has no text in `edited`: it counts as one that is not there.
    ModuleLoader known = [&](FileId importer, int level, const std::string &path) {
      const ast::Module *found = load_(importer, level, path);
      return found && found->file < edited.size() ? found : nullptr;
    };
    sema::check(*module, edited, known, diagnostics, options_);
    return messagesOf(diagnostics.all(), 0, edited);
  }

  const ast::Module &module_;
  const Sources &sources_;
  const ModuleLoader &load_;
  CheckOptions options_;
  Part whole_;
  std::map<std::string, Part> parts_;                 // by their texts
  std::map<const ast::Stmt *, const Part *> partOf_;  // by the statement of the module that a message points into
  size_t trials_ = 0, bytes_ = 0;
};

const diag::Fix *chosen(const CandidateGroup &group, const diag::Diagnostic &target, const Part &part,
                        Trials &trials) {
  const diag::Fix *found = nullptr;
  for (const diag::Fix &fix : group.edits) {
    if (!trials.mends(fix, target, part)) continue;
    if (!group.onlyIfUnique) return &fix;
    if (found) return nullptr;
    found = &fix;
  }
  return found;
}

}  // namespace

void advise(const ast::Module &module, const Sources &sources, const ModuleLoader &load,
            diag::Engine &diagnostics, size_t from, const CheckOptions &options) {
  std::vector<diag::Diagnostic> all = diagnostics.all();
  Trials trials(module, sources, load, options, messagesOf(all, from, sources));
  Places places(module);
  for (size_t i = from; i < all.size(); ++i) {
    diag::Diagnostic &d = all[i];
    if (d.span.file != module.file) continue;
    Place place = places.at(d.span);
    noteOrigins(d, place);
    std::vector<CandidateGroup> groups = slipsOfWords(d, place, sources);
    for (auto &&more : {slipsOfShapes(d, place, sources), candidatesFor(d, place, sources)})
      groups.insert(groups.end(), more.begin(), more.end());
    bool certain = diag::fixOf(d, false) != nullptr;
    if (d.fixes.empty() && groups.empty()) continue;
    if (certain && d.fixes.size() == 1) continue;
    const Part &part = trials.partFor(d, place);
    std::erase_if(d.fixes, [&](const diag::Fix &fix) {
      bool assumes = fix.title.rfind(kAssumption, 0) == 0;  // of what is wrong in two places it would mend one
      return fix.applicability == diag::Applicability::Suggestion &&
             !(assumes ? trials.mends(fix, d, part, true) : trials.helps(fix, d, part));
    });
    for (const CandidateGroup &group : groups) {
      const diag::Fix *fix = certain ? nullptr : chosen(group, d, part, trials);
      if (!fix) continue;
      d.fixes.insert(d.fixes.begin(),
                     *fix);  // before a fact for `where`, which mends every claim about shapes
      break;
    }
  }
  diagnostics.replace(std::move(all));
}

}  // namespace tessera::sema
