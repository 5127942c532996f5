#include "sema/advice/Advice.h"
#include "diag/Edits.h"
#include "frontend/Parser.h"
#include "sema/advice/Candidates.h"
#include "sema/advice/Origins.h"
#include <algorithm>
#include <map>
#include <optional>

namespace tessera::sema {
namespace {

/// At most so many bytes of program are checked again for all messages together, and so many times.
constexpr size_t kMostBytes = 192u << 10, kMostTrials = 32;

/// How often each message was given. Places move with an edit, so they do not count.
using Messages = std::map<std::pair<diag::Id, std::string>, int>;
Messages messagesOf(const std::vector<diag::Diagnostic> &diagnostics, size_t from) {
  Messages messages;
  for (size_t i = from; i < diagnostics.size(); ++i) ++messages[{diagnostics[i].id, diagnostics[i].message}];
  return messages;
}

class Trials {
public:
  Trials(const ast::Module &module, const Sources &sources, const ModuleLoader &load,
         const CheckOptions &options)
      : module_(module), sources_(sources), load_(load), options_(options) {
    options_.advice = false;
    size_t bytes = 1;
    for (FileId id = 0; id < sources.size(); ++id) bytes += sources.file(id).text.size();
    left_ = std::min(kMostTrials, kMostBytes / bytes);
  }

  /// Whether this edit takes the message away and brings no other.
  bool mends(const diag::Fix &fix, const diag::Diagnostic &target, const Messages &before) {
    if (left_ == 0 || fix.span.file != module_.file) return false;
    auto after = with(fix);
    return after && fewer(*after, target, before) &&
           std::all_of(after->begin(), after->end(), [&](const auto &entry) {
             auto it = before.find(entry.first);
             return it != before.end() && entry.second <= it->second;
           });
  }

  /// Whether it takes the message away, whatever comes to light then. Also true where that could not be tried.
  bool helps(const diag::Fix &fix, const diag::Diagnostic &target, const Messages &before) {
    if (left_ == 0 || fix.span.file != module_.file) return true;
    auto after = with(fix);
    return after && fewer(*after, target, before);
  }

private:
  static bool fewer(const Messages &after, const diag::Diagnostic &target, const Messages &before) {
    auto now = after.find({target.id, target.message});
    return now == after.end() || now->second < before.at({target.id, target.message});
  }

  /// What is said about the program with this edit; nothing if it cannot be read.
  std::optional<Messages> with(const diag::Fix &fix) {
    --left_;
    Sources edited;
    for (FileId id = 0; id < sources_.size(); ++id) {
      const SourceFile &file = sources_.file(id);
      edited.add(file.path, id == module_.file ? diag::applyFixes(file.text, {&fix}).text : file.text);
    }
    diag::Engine diagnostics;
    auto module = frontend::parse(edited, module_.file, diagnostics);
    if (diagnostics.hasErrors()) return std::nullopt;
    // A module that is loaded only now has no text in `edited`: it counts as one that is not there.
    ModuleLoader known = [&](FileId importer, int level, const std::string &path) {
      const ast::Module *found = load_(importer, level, path);
      return found && found->file < edited.size() ? found : nullptr;
    };
    check(*module, edited, known, diagnostics, options_);
    return messagesOf(diagnostics.all(), 0);
  }

  const ast::Module &module_;
  const Sources &sources_;
  const ModuleLoader &load_;
  CheckOptions options_;
  size_t left_;
};

const diag::Fix *chosen(const CandidateGroup &group, const diag::Diagnostic &target, const Messages &before,
                        Trials &trials) {
  const diag::Fix *found = nullptr;
  for (const diag::Fix &fix : group.edits) {
    if (!trials.mends(fix, target, before)) continue;
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
  Messages before = messagesOf(all, from);
  Trials trials(module, sources, load, options);
  for (size_t i = from; i < all.size(); ++i) {
    diag::Diagnostic &d = all[i];
    if (d.span.file != module.file) continue;
    Place place = placeOf(module, d.span);
    noteOrigins(d, place);
    std::erase_if(d.fixes, [&](const diag::Fix &fix) {
      return fix.applicability == diag::Applicability::Suggestion && !trials.helps(fix, d, before);
    });
    if (diag::fixOf(d, false)) continue;
    for (const CandidateGroup &group : candidatesFor(d, place, sources))
      if (const diag::Fix *fix = chosen(group, d, before, trials)) {
        d.fixes.insert(d.fixes.begin(),
                       *fix);  // before a fact for `where`, which mends every claim about shapes
        break;
      }
  }
  diagnostics.replace(std::move(all));
}

}  // namespace tessera::sema
