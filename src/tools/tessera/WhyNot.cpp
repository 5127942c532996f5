// tessera explain --why-not: why products of a program are not done by an instruction that the machine has.
#include "tools/tessera/WhyNot.h"
#include "driver/Compiler.h"
#include "driver/Console.h"
#include "driver/Refusals.h"
#include "driver/Targets.h"
#include <charconv>
#include <cstdio>
#include <set>

namespace tessera::tools {
namespace {

struct Place {
  std::string path;
  uint32_t line = 0;  // 0: all functions
};

Place placeOf(const std::string &text) {
  size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text};
  Place place{text.substr(0, colon)};
  const char *end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data() + colon + 1, end, place.line);
  return error == std::errc() && at == end ? place : Place{text};
}

/// The function of the program that is written around a line; empty if none is.
std::string functionAt(const driver::Session &session, uint32_t line) {
  const SourceFile &file = session.sources.file(session.module()->file);
  for (const ast::StmtPtr &stmt : session.module()->body)
    if (auto *function = ast::as<ast::FuncDef>(stmt)) {
      uint32_t first = file.lineColumn(function->span.begin).line, last = file.lineColumn(function->span.end).line;
      if (first <= line && line <= last) return std::string(function->name.text);
    }
  return {};
}

}  // namespace

int whyNot(const WhyNotOptions &options) {
  driver::Session session;
  auto fail = [&] {
    driver::printMessages(session, driver::MessageFormat::Text);
    return driver::kProgramHasErrors;
  };
  if (options.instruction != "wgmma" && options.instruction != "mma") {
    std::fprintf(stderr, "tessera explain: no instruction is called `%s`; there are wgmma (warpgroups of Hopper) and mma (warps)\n",
                 options.instruction.c_str());
    return driver::kBadUsage;
  }
  auto target = driver::parseTarget(options.target);
  if (!target || target->reference) {
    driver::reportUnknownTarget(session.diagnostics, options.target, false);
    return fail();
  }
  Place place = placeOf(options.place);
  if (!session.load(place.path)) return fail();
  std::vector<std::string> only;
  if (place.line) {
    only.push_back(functionAt(session, place.line));
    if (only.front().empty()) {
      std::fprintf(stderr, "tessera explain: line %u of %s is in no function\n", place.line, place.path.c_str());
      return driver::kBadUsage;
    }
  }
  driver::CompileOptions compileOptions;
  compileOptions.target = *target;
  auto product = driver::Compiler(session, compileOptions).emit(only);
  if (!product) return fail();
  std::set<std::string> said;  // a product may have several kernels
  for (const driver::Refusal &refusal : driver::refusalsOf(product->manifest)) {
    const std::string sentence = refusal.function + ": no " + refusal.instruction + ": " + refusal.why;
    if (refusal.instruction == options.instruction && said.insert(sentence).second) std::printf("%s\n", sentence.c_str());
  }
  if (said.empty()) std::printf("no product of %s is refused %s on %s\n", options.place.c_str(), options.instruction.c_str(), options.target.c_str());
  return driver::kSuccess;
}

}  // namespace tessera::tools
