// Prints what the lexer makes of files: a line `file PATH` each, then `BEGIN END KIND` for every word and comment, in bytes.
// Kinds are those that colours tell apart: keyword, name, number, string, comment, operator.
#include "frontend/Kinds.h"
#include "frontend/Layout.h"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace tessera;

namespace {
const char *kindOf(uint32_t kind, char first) {
  using frontend::K;
  if (kind == K::NAME) return "name";
  if (kind == K::STRING) return "string";
  if (std::isalpha(static_cast<unsigned char>(first))) return "keyword";
  return kind == K::INTEGER || kind == K::FLOAT || kind == K::IMAGINARY ? "number" : "operator";
}
}  // namespace

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    Sources sources;
    FileId id = sources.add(argv[i], std::string(std::istreambuf_iterator<char>(file), {}));
    const std::string &text = sources.file(id).text;
    diag::Engine diagnostics;
    frontend::LaidOut found = frontend::layout(sources.file(id), id, diagnostics);
    std::printf("file %s\n", argv[i]);
    for (const frontend::Token &token : found.tokens)
      if (token.begin < token.end) std::printf("%u %u %s\n", token.begin, token.end, kindOf(token.kind, text[token.begin]));
    for (const ast::Comment &comment : found.comments) std::printf("%u %u comment\n", comment.span.begin, comment.span.end);
  }
}
