#include "sema/advice/Trials.h"
#include "frontend/Parser.h"
#include "sema/Library.h"
#include <algorithm>

namespace tessera::sema {
namespace {

/// At most so many bytes of program are checked again for all messages together. With what a check costs, that is about 100 ms.
constexpr size_t kMostBytes = 5u << 18, kMostSteps = 20'000;
/// Where somebody may come to wait, no trial takes longer than a key: of a long program, the whole is not checked again.
constexpr size_t kMostWhileOthersWait = 1u << 16;
constexpr std::string_view kModelFile = "<model>";  // what each trial of a model writes is read once, and is small
constexpr size_t kLoaded = 64;  // what is imported is evaluated once, and only what is called of it is checked again

/// Of an edit that assumes a fact: the fact.
std::string factOf(const diag::Fix &fix) {
  constexpr std::string_view kWhere = " where ", kNext = ", ";
  size_t begin = fix.replacement.rfind(kWhere, 0) == 0 ? kWhere.size() : kNext.size();
  return fix.replacement.substr(std::min(begin, fix.replacement.size()));
}

/// `N == M`, `B >= H`: where two dimensions are compared, one was hardly meant for the other in several places.
bool comparesNames(const std::string &fact) {
  size_t first = fact.find(' '), last = fact.rfind(' ');
  auto isName = [](const std::string &text) {
    bool number = text.find_first_not_of("0123456789") == std::string::npos;
    return !number && text.find_first_of("()*/%+-") == std::string::npos;
  };
  return first != std::string::npos && fact.find(' ', first + 1) == last && isName(fact.substr(0, first)) &&
         isName(fact.substr(last + 1));
}

/// Whether something new is said about what the edit writes.
bool isWrong(const Messages &after, const diag::Fix &fix, const Part &part) {
  return std::any_of(after.begin(), after.end(), [&](const auto &entry) {
    return entry.first.first != diag::Id::undefinedName && !part.before.count(entry.first) &&
           entry.second.words.count(fix.replacement);
  });
}

/// `tile.time()` for `time.time()`
bool lacksMember(const Messages &after, const Part &part) {
  return std::any_of(after.begin(), after.end(), [&](const auto &entry) {
    return entry.first.first == diag::Id::unknownAttribute && !part.before.count(entry.first);
  });
}

/// A fact that a message of this kind asks for and that is not among these.
std::string nextFact(const Messages &messages, diag::Id id, const std::set<std::string> &facts) {
  for (const auto &[key, said] : messages)
    for (const std::string &fact : said.facts)
      if (key.first == id && !facts.count(fact)) return fact;
  return "";
}

}  // namespace

Messages messagesOf(const std::vector<diag::Diagnostic> &diagnostics, size_t from, const Sources &sources) {
  Messages messages;
  for (size_t i = from; i < diagnostics.size(); ++i) {
    const diag::Diagnostic &d = diagnostics[i];
    Said &said = messages[{d.id, d.message}];
    ++said.times;
    said.end = std::max(said.end, d.span.end);
    if (d.span.valid()) said.words.emplace(sources.text(d.span));
    for (const diag::Fix &fix : d.fixes)
      if (assumes(fix)) said.facts.insert(factOf(fix));
  }
  return messages;
}

Trials::Trials(const ast::Module &module, const Sources &sources, const ModuleLoader &load, const CheckOptions &options,
               Messages all)
    : module_(module), sources_(sources), load_(load), options_(options), library_(emptyLibrary()),
      whole_{Excerpt(text()), std::move(all)} {
  options_.advice = false;
  options_.onFunction = nullptr;
  options_.facts = nullptr;
  options_.before = nullptr;
  if (!options_.library) options_.library = library_.get();
  options_.mostSteps = std::min(options_.mostSteps, kMostSteps);
}

const Part &Trials::partFor(const diag::Diagnostic &target, const Place &place) {
  const Part *&known = partOf_[place.outermost];
  if (!known || !place.outermost) known = &partAt(target.span);
  return known->before.count({target.id, target.message}) ? *known : whole_;
}

/// Whether a function is not checked any more in a part without its callers: what its parameters are, they say.
bool Trials::isOpen(const Messages &after, const Part &part) const {
  auto ofCallers = [&](const auto &entry) { return entry.first.first == diag::Id::unreadFunction && !part.before.count(entry.first); };
  return &part != &whole_ && std::any_of(after.begin(), after.end(), ofCallers);
}

bool Trials::mends(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part, bool untried) {
  auto after = with(fix, part);
  if (untried_) return untried;
  if (after && isOpen(*after, part)) return mends(fix, target, whole_, untried);
  return after && isMended(*after, target, part, fix);
}
bool Trials::mends(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part,
                   const std::set<Messages::key_type> &others) {
  auto after = with(fix, part);
  if (after && isOpen(*after, part)) return mends(fix, target, whole_, others);
  return after && isMended(*after, target, part, fix) &&
         std::none_of(others.begin(), others.end(), [&](const auto &key) { return after->count(key) != 0; });
}

std::set<Messages::key_type> Trials::mendedToo(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part) {
  std::set<Messages::key_type> gone;
  auto after = with(fix, part);
  if (!after || !isMended(*after, target, part, fix)) return gone;
  for (const auto &[key, said] : part.before)
    if (key != Messages::key_type{target.id, target.message} && !after->count(key)) gone.insert(key);
  return gone;
}

std::optional<diag::Fix> Trials::completed(diag::Fix fix, const diag::Diagnostic &target, const Part &part) {
  constexpr int kMostFacts = 4;
  std::set<std::string> facts = {factOf(fix)};
  if (comparesNames(factOf(fix))) return std::nullopt;
  for (int count = 1; count < kMostFacts; ++count) {
    auto after = with(fix, part);
    if (!after) return std::nullopt;
    if (count > 1 && isMended(*after, target, part, fix)) return fix;
    std::string next = nextFact(*after, target.id, facts);
    if (next.empty() || comparesNames(next) || next.find("//") != std::string::npos) return std::nullopt;
    facts.insert(next);
    fix.replacement += ", " + next;
    fix.title.insert(fix.title.rfind('`'), ", " + next);
  }
  return mends(fix, target, part) ? std::optional(fix) : std::nullopt;
}

bool Trials::helps(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part) {
  auto after = with(fix, part);
  bool ofName = target.id == diag::Id::undefinedName;
  return untried_ || (after && isGone(*after, target, part.before, fix) &&
                      !(ofName && (isWrong(*after, fix, part) || lacksMember(*after, part))));
}

std::optional<size_t> Trials::leftWith(const diag::Fix &fix) {
  auto after = with(fix, whole_);
  if (!after) return std::nullopt;
  size_t left = 0;
  for (const auto &[key, said] : *after) left += static_cast<size_t>(said.times);
  return left;
}

bool Trials::isSpent() const { return hurried_ || trials_ >= most_ || bytes_ + bytesOf(text()) > kMostBytes; }

const Part &Trials::partAt(Span place) {
  Part part{Excerpt(module_, text(), place), {}};
  if (part.excerpt.isWhole()) return whole_;
  std::string shown = *part.excerpt.text();
  auto [it, isNew] = parts_.try_emplace(shown, std::move(part));
  if (isNew)
    if (auto messages = check(std::move(shown))) it->second.before = std::move(*messages);
  return it->second;
}

/// Whether the message is gone and no other came.
bool Trials::isMended(const Messages &after, const diag::Diagnostic &target, const Part &part,
                      const diag::Fix &fix) const {
  return isGone(after, target, part.before, fix) && std::all_of(after.begin(), after.end(), [&](const auto &entry) {
           auto it = part.before.find(entry.first);
           return it != part.before.end() && entry.second.times <= it->second.times;
         });
}

/// Whether a message is said less often, or about other words that it hid: the same mistake further on. Words that
/// the edit itself changes tell nothing.
bool Trials::isGone(const Messages &after, const diag::Diagnostic &target, const Messages &before,
                    const diag::Fix &fix) const {
  auto now = after.find({target.id, target.message});
  const Said &then = before.at({target.id, target.message});
  if (now == after.end() || now->second.times < then.times) return true;
  bool inFront = fix.span.end < target.span.begin, apart = inFront || target.span.end < fix.span.begin;
  size_t moved = inFront ? fix.replacement.size() - (fix.span.end - fix.span.begin) : 0;
  bool furtherOn = now->second.end > static_cast<uint32_t>(then.end + moved);
  return apart && furtherOn && now->second.times == then.times && !now->second.words.count(sources_.text(target.span));
}

std::optional<Messages> Trials::with(const diag::Fix &fix, const Part &part) {
  auto edited = fix.span.file == module_.file ? part.excerpt.text(&fix) : std::nullopt;
  untried_ = !edited;
  if (!edited) return std::nullopt;
  if (auto known = tried_.find(*edited); known != tried_.end()) return known->second;
  auto messages = check(*edited);
  if (!untried_) tried_[std::move(*edited)] = messages;
  return messages;
}

/// What a trial of this text counts for: the modules that it loads are in it.
size_t Trials::bytesOf(const std::string &text) const {
  size_t size = text.size();
  for (FileId id = 0; id < sources_.size(); ++id)
    if (id != module_.file && sources_.file(id).path != kModelFile) size += sources_.file(id).text.size() / kLoaded;
  return size;
}

/// What is said about the module with this text; nothing if it cannot be read, or enough was tried already.
std::optional<Messages> Trials::check(std::string text) {
  size_t size = bytesOf(text);
  hurried_ = hurried_ || (options_.hurried && options_.hurried());
  const bool takesLong = options_.hurried && size > kMostWhileOthersWait;
  untried_ = hurried_ || takesLong || trials_ >= most_ || bytes_ + size > kMostBytes;
  if (untried_) return std::nullopt;
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
  // What is loaded only now, a part of the library or what a model makes its parameters in, comes with its text.
  ModuleLoader known = [&](FileId importer, int level, const std::string &path) {
    const ast::Module *found = load_(importer, level, path);
    for (size_t id = edited.size(); found && id <= found->file; id = edited.size())
      edited.add(sources_.file(static_cast<FileId>(id)).path, sources_.file(static_cast<FileId>(id)).text);
    return found;
  };
  sema::check(*module, edited, known, diagnostics, options_);
  return messagesOf(diagnostics.all(), 0, edited);
}

}  // namespace tessera::sema
