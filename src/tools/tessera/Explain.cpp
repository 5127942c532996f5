// tessera explain: the page of a diagnostic, with a wrong and a right program; all of them, or those about some words.
#include "diag/Diagnostic.h"
#include "driver/Console.h"
#include "driver/Embedded.h"
#include "tools/tessera/Commands.h"
#include "tools/tessera/WhyNot.h"
#include <algorithm>
#include <cctype>
#include <cstdio>

namespace tessera::tools {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char &c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view pageOf(std::string_view code) {
  for (const driver::EmbeddedFile &page : driver::embeddedPages())
    if (page.path == std::string(code) + ".md") return page.text;
  return {};
}

/// "A product whose sides do not fit" of the first line "# E0405: A product whose sides do not fit".
std::string titleOf(std::string_view page) {
  std::string_view line = page.substr(0, page.find('\n'));
  size_t colon = line.find(": ");
  return std::string(colon == std::string_view::npos ? line : line.substr(colon + 2));
}

void printLine(const diag::Row &row) {
  std::printf("%s  %s\n", std::string(row.code).c_str(), titleOf(pageOf(row.code)).c_str());
}

bool looksLikeACode(const std::string &word) {
  return word.size() == 5 && (word[0] == 'E' || word[0] == 'e') &&
         std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c); });
}

int explain(std::string code) {
  code[0] = 'E';
  if (std::string_view page = pageOf(code); !page.empty()) {
    std::fwrite(page.data(), 1, page.size(), stdout);
    return driver::kSuccess;
  }
  std::vector<std::string_view> codes;
  for (const diag::Row &row : diag::rows()) codes.push_back(row.code);
  std::string_view near = diag::didYouMean(code, codes);
  std::fprintf(stderr, "tessera explain: there is no diagnostic `%s`%s\n", code.c_str(),
               near.empty() ? "; `tessera explain` alone lists all"
                            : ("; did you mean " + std::string(near) + "?").c_str());
  return driver::kBadUsage;
}

/// Those in whose code, name, text or page all of the words occur; those with the words in the title first.
int search(const std::vector<std::string> &words) {
  auto holds = [&](const std::string &text) {
    return std::all_of(words.begin(), words.end(),
                       [&](const std::string &w) { return text.find(lower(w)) != std::string::npos; });
  };
  std::vector<const diag::Row *> inTitle, elsewhere;
  for (const diag::Row &row : diag::rows()) {
    std::string_view page = pageOf(row.code);
    std::string head = lower(std::string(row.name) + " " + titleOf(page) + " " + std::string(row.text));
    if (holds(head)) inTitle.push_back(&row);
    else if (holds(head + " " + lower(page))) elsewhere.push_back(&row);
  }
  for (const diag::Row *row : inTitle) printLine(*row);
  for (const diag::Row *row : elsewhere) printLine(*row);
  if (!inTitle.empty() || !elsewhere.empty()) return driver::kSuccess;
  std::fprintf(stderr, "tessera explain: no diagnostic is about that; `tessera explain` alone lists all\n");
  return driver::kProgramHasErrors;
}

int run(const std::vector<std::string> &words) {
  if (words.empty())
    for (const diag::Row &row : diag::rows()) printLine(row);
  else if (words.size() == 1 && looksLikeACode(words[0])) return explain(words[0]);
  else return search(words);
  return driver::kSuccess;
}

}  // namespace

void addExplain(CLI::App &app, Chosen &chosen) {
  auto words = std::make_shared<std::vector<std::string>>();
  auto refused = std::make_shared<WhyNotOptions>();
  CLI::App *command = app.add_subcommand("explain", "what a message means, with a wrong and a right program");
  command->add_option("words", *words,
                      "a code such as E0404, or words to look for; without any, all are listed");
  command->add_option("--why-not", refused->instruction, "wgmma or mma: why products of a program are not done by it; FILE or FILE:LINE follows");
  command->add_option("--target", refused->target, "of --why-not")->capture_default_str();
  command->footer("Examples:\n  tessera explain E0404\n  tessera explain broadcast\n  tessera explain\n  tessera explain --why-not wgmma model.tsr\nExit "
                  "codes: 0 found, 1 no diagnostic has the words, 2 no such code.");
  command->callback([words, refused, &chosen] {
    chosen = [words, refused] {
      if (refused->instruction.empty()) return run(*words);
      if (words->size() == 1) {
        refused->place = words->front();
        return whyNot(*refused);
      }
      std::fprintf(stderr, "tessera explain --why-not %s: give one program, model.tsr or model.tsr:12\n", refused->instruction.c_str());
      return static_cast<int>(driver::kBadUsage);
    };
  });
}

}  // namespace tessera::tools
