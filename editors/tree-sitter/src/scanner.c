// What the parser's own lexer cannot see: the ends of lines, indentation, and integers before `..`. Blocks are told apart by the
// columns of their first words; lines that hold nothing but a comment count for none.
#include <tree_sitter/parser.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum TokenType { NEWLINE, INDENT, DEDENT, RANGE_START, CLOSE_PAREN, CLOSE_BRACKET, CLOSE_BRACE };
enum { MOST_LEVELS = TREE_SITTER_SERIALIZATION_BUFFER_SIZE / sizeof(uint16_t), TAB = 8 };

typedef struct {
  uint32_t count;  // of the blocks around, without the file
  uint16_t columns[MOST_LEVELS];
} Scanner;

void *tree_sitter_tessera_external_scanner_create(void) { return calloc(1, sizeof(Scanner)); }
void tree_sitter_tessera_external_scanner_destroy(void *payload) { free(payload); }

unsigned tree_sitter_tessera_external_scanner_serialize(void *payload, char *buffer) {
  const Scanner *scanner = payload;
  const size_t size = scanner->count * sizeof(uint16_t);
  memcpy(buffer, scanner->columns, size);
  return (unsigned)size;
}

void tree_sitter_tessera_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  Scanner *scanner = payload;
  scanner->count = length / sizeof(uint16_t);
  if (length > 0) memcpy(scanner->columns, buffer, length);
}

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

/// `1` of `1..8` and of `1..=8`.
static bool scan_range_start(TSLexer *lexer) {
  while (is_digit(lexer->lookahead) || lexer->lookahead == '_') lexer->advance(lexer, false);
  lexer->mark_end(lexer);
  if (lexer->lookahead != '.') return false;
  lexer->advance(lexer, false);
  lexer->result_symbol = RANGE_START;
  return lexer->lookahead == '.';
}

/// Skips blanks, comments and joined lines. Whether a line ended; the column of what follows, and that of the first comment on a
/// line of its own, or -1.
static bool skip_lines(TSLexer *lexer, uint16_t *column, int32_t *comment) {
  bool ended = false;
  *column = 0;
  *comment = -1;
  for (;;) {
    switch (lexer->lookahead) {
    case '\n':
      ended = true;
      *column = 0;
      break;
    case ' ': ++*column; break;
    case '\t': *column = (uint16_t)((*column / TAB + 1) * TAB); break;
    case '\r':
    case '\f': *column = 0; break;
    case '#':
      if (ended && *comment < 0) *comment = *column;
      while (lexer->lookahead != '\n' && !lexer->eof(lexer)) lexer->advance(lexer, true);
      continue;
    case '\\':
      lexer->advance(lexer, true);
      if (lexer->lookahead == '\r') lexer->advance(lexer, true);
      if (lexer->lookahead != '\n' && !lexer->eof(lexer)) return false;
      break;
    default:
      if (!lexer->eof(lexer)) return ended;
      *column = 0;
      return true;
    }
    lexer->advance(lexer, true);
  }
}

bool tree_sitter_tessera_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  Scanner *scanner = payload;
  const bool mending = valid[RANGE_START] && valid[INDENT] && valid[NEWLINE];  // all are, while a mistake is passed by
  const bool in_brackets = valid[CLOSE_PAREN] || valid[CLOSE_BRACKET] || valid[CLOSE_BRACE];
  lexer->mark_end(lexer);  // ends of lines and blocks have no text of their own
  if (valid[RANGE_START] && !mending) {
    while (lexer->lookahead == ' ' || lexer->lookahead == '\t') lexer->advance(lexer, true);
    if (is_digit(lexer->lookahead)) return scan_range_start(lexer);
  }
  uint16_t column;
  int32_t comment;
  if (!skip_lines(lexer, &column, &comment)) return false;
  const uint16_t around = scanner->count ? scanner->columns[scanner->count - 1] : 0;
  if (valid[INDENT] && column > around && scanner->count < MOST_LEVELS) {
    scanner->columns[scanner->count++] = column;
    lexer->result_symbol = INDENT;
    return true;
  }
  // A comment as deep as the block still belongs to it: the block ends behind it.
  if ((valid[DEDENT] || (!valid[NEWLINE] && !in_brackets)) && scanner->count && column < around && comment < (int32_t)around) {
    --scanner->count;
    lexer->result_symbol = DEDENT;
    return true;
  }
  lexer->result_symbol = NEWLINE;
  return valid[NEWLINE] && !mending;
}
