// tessera explain: the page of a diagnostic, with a wrong and a right program.
#include "diag/Diagnostic.h"
#include "driver/Console.h"
#include "driver/Embedded.h"
#include "tools/tessera/Commands.h"
#include <cctype>
#include <cstdio>

namespace tessera::tools {
namespace {

int list() {
  for (const diag::Row &row : diag::rows())
    std::printf("%s  %s\n", std::string(row.code).c_str(), std::string(row.text).c_str());
  return driver::kSuccess;
}

int run(std::string code) {
  if (code.empty()) return list();
  for (char &c : code) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const driver::EmbeddedFile &page : driver::embeddedPages())
    if (page.path == code + ".md") {
      std::fwrite(page.text.data(), 1, page.text.size(), stdout);
      return driver::kSuccess;
    }
  std::vector<std::string_view> codes;
  for (const diag::Row &row : diag::rows()) codes.push_back(row.code);
  std::string_view near = diag::didYouMean(code, codes);
  std::fprintf(stderr, "tessera explain: there is no diagnostic `%s`%s\n", code.c_str(),
               near.empty() ? "; `tessera explain` alone lists all" : ("; did you mean " + std::string(near) + "?").c_str());
  return driver::kBadUsage;
}

}  // namespace

void addExplain(CLI::App &app, Chosen &chosen) {
  auto code = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("explain", "what a message means, with a wrong and a right program");
  command->add_option("code", *code, "such as E0404; without one, all are listed");
  command->footer("Examples:\n  tessera explain E0404\n  tessera explain");
  command->callback([code, &chosen] { chosen = [code] { return run(*code); }; });
}

}  // namespace tessera::tools
