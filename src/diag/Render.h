// Diagnostics as text for people, JSON for programs, and SARIF for code hosts.
#pragma once
#include "diag/Diagnostic.h"
#include "support/Sources.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tessera::diag {

/// A diagnostic and the texts that its spans mean. Findings of several compilations can be rendered together.
struct Finding {
  const Diagnostic *diagnostic;
  const Sources *sources;
};
using Findings = std::vector<Finding>;
/// All diagnostics of an engine, causes before consequences.
Findings findingsOf(const Engine &engine, const Sources &sources);

/// A file may have the same mistake in each line: the first hundred messages of one code are enough of it.
inline constexpr size_t kMostOfOneCode = 100;
struct Shortened {
  Findings shown;
  std::map<std::string, size_t> hidden;  // code -> how many more there are
  /// "2900 more messages of E0201 are not shown\n", for each code.
  std::string text() const;
};
Shortened shortened(const Findings &findings);

struct TextStyle {
  bool colour = false;
  unsigned width = 100;  // columns
};
/// error[E0412]: message / --> file:line:column / source line with carets / notes / fixes.
std::string renderText(const Diagnostic &diagnostic, const Sources &sources, TextStyle style = {});
/// All diagnostics by cause, then a summary line ("2 errors, 1 warning").
std::string renderText(const Engine &engine, const Sources &sources, TextStyle style = {});

/// What a run over files did; a member "summary" in JSON.
struct RunSummary {
  size_t files = 0, filesWithErrors = 0;
  size_t fromCache = 0;   // of the files: their results were known
  size_t unreadable = 0;  // of the files
  size_t errors = 0, warnings = 0;
  double seconds = 0;
};
/// {"diagnostics":[{code,name,severity,message,label,file,line,column,...,notes:[...],fixes:[...]}],"notShown":{code:count},"summary":{...}};
/// `notShown` only where something is not.
std::string renderJson(const Shortened &findings, const RunSummary *summary = nullptr);
std::string renderJson(const Engine &engine, const Sources &sources);

/// The explanation page of a code as Markdown, "# E0412: Title ..."; empty if there is none.
using PageOf = std::function<std::string_view(std::string_view code)>;
/// A SARIF 2.1.0 log with one run. `tool` is the program's name and `version` its version.
struct SarifTool {
  std::string name, version;
  PageOf pageOf;
};
std::string renderSarif(const Findings &findings, const SarifTool &tool);

}  // namespace tessera::diag
