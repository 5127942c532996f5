#include "driver/check/Fix.h"
#include "diag/Edits.h"
#include "frontend/Parser.h"
#include <algorithm>
#include <map>
#include <set>

namespace tessera::driver {
namespace {

/// A fix that may be applied, with the text that its span means and the code of its message.
struct Candidate {
  const diag::Fix *fix;
  const Sources *sources;
  std::string_view code;
};
using Candidates = std::vector<Candidate>;

bool parses(const std::string &path, const std::string &text) {
  Sources sources;
  diag::Engine diagnostics;
  frontend::parse(sources, sources.add(path, text), diagnostics);
  return !diagnostics.hasErrors();
}

diag::Edited edited(const std::string &text, const Candidates &candidates) {
  std::vector<const diag::Fix *> fixes;
  for (const Candidate &candidate : candidates) fixes.push_back(candidate.fix);
  return diag::applyFixes(text, std::move(fixes));
}

/// The edits of one round in one file. If together they break what parsed, those are kept that alone do not.
diag::Edited roundOf(const std::string &path, const std::string &text, Candidates candidates) {
  diag::Edited all = edited(text, candidates);
  if (!parses(path, text) || parses(path, all.text)) return all;
  std::erase_if(candidates, [&](const Candidate &c) { return !parses(path, edited(text, {c}).text); });
  diag::Edited some = edited(text, candidates);
  return parses(path, some.text) ? some : diag::Edited{text, {}};
}

std::map<std::string, Candidates> candidatesOf(const Reports &reports, const std::set<std::string> &files, bool suggestions) {
  std::map<std::string, Candidates> byFile;
  for (const diag::Finding &finding : findingsOf(reports)) {
    const diag::Fix *fix = diag::fixOf(*finding.diagnostic, suggestions);
    if (!fix) continue;
    const std::string &path = finding.sources->file(fix->span.file).path;
    if (files.count(path)) byFile[path].push_back({fix, finding.sources, diag::row(finding.diagnostic->id).code});
  }
  return byFile;
}

MadeEdit madeEdit(const std::string &path, const diag::Fix *fix, const Candidates &candidates) {
  auto it = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate &c) { return c.fix == fix; });
  LineColumn at = it->sources->file(fix->span.file).lineColumn(fix->span.begin);
  return {path, at.line, at.column, std::string(it->code), diag::editText(*fix, *it->sources)};
}

}  // namespace

FixOutcome applyAllFixes(const std::vector<std::string> &files, Texts &texts, bool suggestions) {
  FixOutcome outcome;
  std::set<std::string> ours(files.begin(), files.end());
  std::map<std::string, std::string> before;
  for (bool changed = true; changed && outcome.rounds < kMaxFixRounds;) {
    changed = false;
    Reports reports = checkPrograms(files, texts, nullptr);
    for (auto &[path, candidates] : candidatesOf(reports, ours, suggestions)) {
      std::string text = texts.read(path).text;
      diag::Edited round = roundOf(path, text, candidates);
      if (round.text == text) continue;
      for (const diag::Fix *fix : round.applied) outcome.edits.push_back(madeEdit(path, fix, candidates));
      before.try_emplace(path, text);
      texts.replace(path, round.text);
      changed = true;
    }
    outcome.rounds += changed;
  }
  for (auto &[path, text] : before)
    if (std::string after = texts.read(path).text; after != text) outcome.files.push_back({path, text, after});
  return outcome;
}

}  // namespace tessera::driver
