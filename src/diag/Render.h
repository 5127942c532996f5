// Diagnostics as text for people, JSON lines for programs, and SARIF for code hosts.
#pragma once
#include "diag/Diagnostic.h"
#include "support/Sources.h"
#include <string>

namespace tessera::diag {

struct TextStyle {
  bool colour = false;
  unsigned width = 100;  // columns
};
/// error[E0412]: message / --> file:line:column / source line with carets / notes / fixes.
std::string renderText(const Diagnostic &diagnostic, const Sources &sources, TextStyle style = {});
/// All diagnostics, then a summary line ("2 errors, 1 warning").
std::string renderText(const Engine &engine, const Sources &sources, TextStyle style = {});
/// {"diagnostics":[{code,name,severity,message,file,line,column,endLine,endColumn,notes:[...],fixes:[...]}]}
std::string renderJson(const Engine &engine, const Sources &sources);
/// SARIF 2.1.0.
std::string renderSarif(const Engine &engine, const Sources &sources);

}  // namespace tessera::diag
