#include "driver/check/Check.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <set>
#include <thread>
#include <tuple>

namespace tessera::driver {

Reports checkPrograms(const std::vector<std::string> &files, Texts &texts, ResultCache *cache,
                      const CheckMore &more) {
  Reports reports(files.size());
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t coresForEach = std::max<size_t>(1, cores / std::max<size_t>(1, files.size()));
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < files.size();) {
      if (cache && !more) reports[i] = cache->find(files[i], texts);
      if (reports[i]) continue;
      reports[i] = checkProgram(files[i], texts, more, coresForEach);
      if (cache && !more) cache->keep(*reports[i]);
    }
  };
  std::vector<std::jthread> helpers;  // and this thread
  for (size_t i = 1; i < std::min(cores, files.size()); ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // joins
  return reports;
}

diag::Findings findingsOf(const Reports &reports) {
  diag::Findings findings;
  std::set<std::tuple<std::string, uint32_t, uint32_t, diag::Id, std::string>> seen;
  for (const auto &report : reports)
    for (const diag::Finding &finding : diag::findingsOf(report->diagnostics, report->sources)) {
      const diag::Diagnostic &d = *finding.diagnostic;
      std::filesystem::path path = d.span.valid() ? report->sources.file(d.span.file).path : report->path;
      std::string file = path.lexically_normal().string();  // `a/../b.tsr` is `b.tsr`
      if (seen.emplace(file, d.span.begin, d.span.end, d.id, d.message).second) findings.push_back(finding);
    }
  return findings;
}

diag::RunSummary summaryOf(const Reports &reports, const diag::Findings &findings) {
  diag::RunSummary summary;
  summary.files = reports.size();
  for (const auto &report : reports) {
    summary.fromCache += report->fromCache;
    summary.unreadable += report->unreadable;
  }
  std::set<std::string> wrong;  // where the mistakes are, not who imports them
  for (const diag::Finding &finding : findings) {
    const diag::Diagnostic &d = *finding.diagnostic;
    if (d.severity == diag::Severity::Error) {
      ++summary.errors;
      wrong.insert(d.span.valid() ? finding.sources->file(d.span.file).path : d.message);
    }
    summary.warnings += d.severity == diag::Severity::Warning;
  }
  summary.filesWithErrors = wrong.size();
  return summary;
}

std::string summaryText(const diag::RunSummary &s) {
  std::string text;
  if (s.errors + s.warnings == 0) {
    text = diag::counted(s.files, "file") + (s.files == 1 ? " is right" : " are right");
  } else {
    if (s.errors) text = diag::counted(s.errors, "error") + " in " + std::to_string(s.filesWithErrors) + " of " + diag::counted(s.files, "file");
    if (s.warnings) text += (s.errors ? ", " : "") + diag::counted(s.warnings, "warning");
  }
  if (s.fromCache) text += " (" + std::to_string(s.fromCache) + " unchanged)";
  char time[32];
  std::snprintf(time, sizeof time, ", %.0f ms", s.seconds * 1e3);
  return text + time;
}

}  // namespace tessera::driver
