#include "sema/advice/Advice.h"
#include "diag/Edits.h"
#include "frontend/Parser.h"
#include "sema/advice/Candidates.h"
#include "sema/advice/Excerpt.h"
#include "sema/advice/Origins.h"
#include "sema/advice/SmallEdits.h"
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace tessera::sema {
namespace {

/// At most so many bytes of program are checked again for all messages together, and so many times. With what a check
/// costs, that is less than 100 ms.
constexpr size_t kMostBytes = 1u << 20, kMostTrials = 128, kMostSteps = 20'000;
constexpr size_t kLoaded = 4;  // what is imported is read once, and only what is called of it is checked again

/// How often a message was given, and about which words. Places move with an edit, so they do not count.
struct Said {
  int times = 0;
  uint32_t end = 0;  // of the last place
  std::set<std::string, std::less<>> words;
  std::set<std::string> facts;  // that were offered for `where`
};

bool assumes(const diag::Fix &fix) { return fix.applicability == diag::Applicability::Assumption; }

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
using Messages = std::map<std::pair<diag::Id, std::string>, Said>;
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
    options_.facts = nullptr;
    options_.before = nullptr;
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
    auto after = with(fix, part);
    if (untried_) return untried;
    return after && isMended(*after, target, part, fix);
  }
  /// ... and leaves none of these, which would hide what it brings.
  bool mends(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part,
             const std::set<Messages::key_type> &others) {
    auto after = with(fix, part);
    return after && isMended(*after, target, part, fix) &&
           std::none_of(others.begin(), others.end(), [&](const auto &key) { return after->count(key) != 0; });
  }

  /// ... in the whole program, with the callers of the function.
  bool mendsAll(const diag::Fix &fix, const diag::Diagnostic &target) { return mends(fix, target, whole_); }

  /// The assumption with those that are missing besides once it holds, for each axis one; nothing if all of them do not
  /// mend it.
  std::optional<diag::Fix> completed(diag::Fix fix, const diag::Diagnostic &target, const Part &part) {
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

  /// Whether it takes the message away, whatever comes to light then. Also true where that could not be tried.
  bool helps(const diag::Fix &fix, const diag::Diagnostic &target, const Part &part) {
    auto after = with(fix, part);
    bool ofName = target.id == diag::Id::undefinedName;
    return untried_ || (after && isGone(*after, target, part.before, fix) &&
                        !(ofName && (isWrong(*after, fix, part) || lacksMember(*after, part))));
  }

  /// Whether no more is tried.
  bool isSpent() const { return trials_ == kMostTrials || bytes_ + bytesOf(text()) > kMostBytes; }

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

  /// Whether the message is gone and no other came.
  bool isMended(const Messages &after, const diag::Diagnostic &target, const Part &part, const diag::Fix &fix) const {
    return isGone(after, target, part.before, fix) && std::all_of(after.begin(), after.end(), [&](const auto &entry) {
             auto it = part.before.find(entry.first);
             return it != part.before.end() && entry.second.times <= it->second.times;
           });
  }

  /// Whether something new is said about what the edit writes.
  static bool isWrong(const Messages &after, const diag::Fix &fix, const Part &part) {
    return std::any_of(after.begin(), after.end(),
                       [&](const auto &entry) { return entry.first.first != diag::Id::undefinedName && !part.before.count(entry.first) && entry.second.words.count(fix.replacement); });
  }

  /// `tile.time()` for `time.time()`
  static bool lacksMember(const Messages &after, const Part &part) {
    return std::any_of(after.begin(), after.end(), [&](const auto &entry) {
      return entry.first.first == diag::Id::unknownAttribute && !part.before.count(entry.first);
    });
  }

  /// A fact that a message of this kind asks for and that is not among these.
  static std::string nextFact(const Messages &messages, diag::Id id, const std::set<std::string> &facts) {
    for (const auto &[key, said] : messages)
      for (const std::string &fact : said.facts)
        if (key.first == id && !facts.count(fact)) return fact;
    return "";
  }

  /// Whether a message is said less often, or about other words that it hid: the same mistake further on. Words that
  /// the edit itself changes tell nothing.
  bool isGone(const Messages &after, const diag::Diagnostic &target, const Messages &before, const diag::Fix &fix) const {
    auto now = after.find({target.id, target.message});
    const Said &then = before.at({target.id, target.message});
    if (now == after.end() || now->second.times < then.times) return true;
    bool inFront = fix.span.end < target.span.begin, apart = inFront || target.span.end < fix.span.begin;
    size_t moved = inFront ? fix.replacement.size() - (fix.span.end - fix.span.begin) : 0;
    bool furtherOn = now->second.end > static_cast<uint32_t>(then.end + moved);
    return apart && furtherOn && now->second.times == then.times && !now->second.words.count(sources_.text(target.span));
  }

  std::optional<Messages> with(const diag::Fix &fix, const Part &part) {
    auto edited = fix.span.file == module_.file ? part.excerpt.text(&fix) : std::nullopt;
    untried_ = !edited;
    if (!edited) return std::nullopt;
    if (auto known = tried_.find(*edited); known != tried_.end()) return known->second;
    auto messages = check(*edited);
    if (!untried_) tried_[std::move(*edited)] = messages;
    return messages;
  }

  /// What a trial of this text counts for: the modules that it loads are in it.
  size_t bytesOf(const std::string &text) const {
    size_t size = text.size();
    for (FileId id = 0; id < sources_.size(); ++id)
      if (id != module_.file) size += sources_.file(id).text.size() / kLoaded;
    return size;
  }

  /// What is said about the module with this text; nothing if it cannot be read, or enough was tried already.
  std::optional<Messages> check(std::string text) {
    size_t size = bytesOf(text);
    untried_ = trials_ == kMostTrials || bytes_ + size > kMostBytes;
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
  std::map<std::string, std::optional<Messages>> tried_;  // several edits may come to one text
  size_t trials_ = 0, bytes_ = 0;
  bool untried_ = false;  // the last edit, as enough was tried already
};

/// Of a message about shapes, the others about its statement: what they are about has no shape, so what an edit makes
/// of it is hidden.
std::set<Messages::key_type> othersAbout(const ast::Stmt *statement, const diag::Diagnostic &target,
                                         const std::vector<diag::Diagnostic> &all) {
  std::set<Messages::key_type> others;
  bool ofShapes = diag::row(target.id).code.substr(0, 3) == "E04";
  for (const diag::Diagnostic &d : all) {
    bool inside = ofShapes && statement && d.span.file == target.span.file && statement->span.begin <= d.span.begin &&
                  d.span.end <= statement->span.end;
    if (inside && (d.id != target.id || d.message != target.message)) others.insert({d.id, d.message});
  }
  return others;
}

const diag::Fix *chosen(const CandidateGroup &group, const diag::Diagnostic &target, const Part &part,
                        const std::set<Messages::key_type> &others, Trials &trials) {
  const diag::Fix *found = nullptr;
  for (const diag::Fix &fix : group.edits) {
    if (!trials.mends(fix, target, part, others) || (group.ofSignature && !trials.mendsAll(fix, target))) continue;
    if (!group.onlyIfUnique) return &fix;
    if (found) return nullptr;
    found = &fix;
  }
  return found;
}

/// Puts the first edit that mends it in front of a fact for `where`, which mends every claim about shapes.
void offer(diag::Diagnostic &d, const std::vector<CandidateGroup> &groups, const Part &part,
           const std::set<Messages::key_type> &others, Trials &trials) {
  bool searching = true;
  for (const CandidateGroup &group : groups) {
    diag::Fix *first = d.fixes.empty() || assumes(d.fixes.front()) ? nullptr : &d.fixes.front();
    auto mends = [&](const diag::Fix &fix) {
      return trials.mends(fix, d, part, others) && (!group.ofSignature || trials.mendsAll(fix, d));
    };
    if (group.rivals && first) {
      if (std::any_of(group.edits.begin(), group.edits.end(), mends))
        for (diag::Fix &known : d.fixes) known.applicability = diag::Applicability::Assumption;
      continue;
    }
    if (group.last && first) continue;
    const diag::Fix *fix = searching ? chosen(group, d, part, others, trials) : nullptr;
    if (!fix) continue;
    d.fixes.insert(d.fixes.begin(), *fix);
    if (group.assumes)  // and nothing that was known before is more certain
      for (diag::Fix &known : d.fixes) known.applicability = diag::Applicability::Assumption;
    searching = false;
  }
}

/// What may mend it, the smallest edits first.
std::vector<CandidateGroup> editsFor(const diag::Diagnostic &d, const Place &place, const Sources &sources) {
  std::vector<CandidateGroup> groups, last;
  for (auto *find : {editsOfStatements, editsOfUse, smallEditsOfWords, editsOfTransforms, editsOfCalls, editsOfNumbers, smallEditsOfKernels, smallEditsOfShapes, editsOfMembers, editsOfSizes, candidatesFor,
                     editsOfShapes, editsOfExchange, editsOfRanks}) {
    for (CandidateGroup &group : find(d, place, sources)) (group.last ? last : groups).push_back(std::move(group));
  }
  for (CandidateGroup &group : editsOfSignatures(d, place, sources)) last.push_back(std::move(group));
  std::move(last.begin(), last.end(), std::back_inserter(groups));
  return groups;
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
    std::vector<CandidateGroup> groups;
    if (!trials.isSpent()) groups = editsFor(d, place, sources);
    bool certain = diag::fixOf(d, false) != nullptr;
    if (d.fixes.empty() && groups.empty()) continue;
    if (certain && d.fixes.size() == 1) continue;
    const Part &part = trials.partFor(d, place);
    std::erase_if(d.fixes, [&](diag::Fix &fix) {
      if (fix.applicability == diag::Applicability::Certain) return false;
      if (!assumes(fix)) {
        if (!trials.helps(fix, d, part)) return true;
        bool guess = d.id == diag::Id::undefinedName && !trials.mends(fix, d, part, true);  // another name was meant
        if (guess) fix.applicability = diag::Applicability::Assumption;
        return false;
      }
      if (trials.mends(fix, d, part, true)) return false;  // of what is wrong in two places it would mend one
      auto more = trials.completed(fix, d, part);
      if (more) fix = std::move(*more);
      return !more;
    });
    std::set<Messages::key_type> others = othersAbout(place.statement, d, all);
    if (!certain) offer(d, groups, part, others, trials);
  }
  diagnostics.replace(std::move(all));
}

}  // namespace tessera::sema
