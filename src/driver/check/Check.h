// Checking many programs: on all cores, with results of the cache, and what is found put together.
#pragma once
#include "diag/Render.h"
#include "driver/check/Cache.h"
#include "driver/check/Report.h"
#include <memory>
#include <string>
#include <vector>

namespace tessera::driver {

using Reports = std::vector<std::unique_ptr<Report>>;

/// A report for each file, in the order of the files. `cache` may be null; it does not know what `more` finds.
Reports checkPrograms(const std::vector<std::string> &files, Texts &texts, ResultCache *cache,
                      const CheckMore &more = {});

/// All that was found, each mistake once: one in a module that several programs import is one mistake. Programs in
/// order; in a program causes before consequences.
diag::Findings findingsOf(const Reports &reports);
/// Counts of the reports and of what was found; the time is the caller's.
diag::RunSummary summaryOf(const Reports &reports, const diag::Findings &findings);
/// "3 errors in 2 of 14 files (12 unchanged), 35 ms" or "14 files are right (12 unchanged), 35 ms".
std::string summaryText(const diag::RunSummary &summary);

}  // namespace tessera::driver
