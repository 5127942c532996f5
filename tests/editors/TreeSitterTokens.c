// Prints what the grammar of tree-sitter makes of files: a line `file PATH` each, then `BEGIN END CAPTURE` for all that the query of
// highlights names, later ones inside of earlier ones, and `BEGIN END ERROR` for what could not be read.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

static const TSSymbol kErrorSymbol = (TSSymbol)-1;  // of every language
const TSLanguage *tree_sitter_tessera(void);

static char *contents(const char *path, uint32_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return fprintf(stderr, "no file %s\n", path), exit(2), NULL;
  fseek(file, 0, SEEK_END);
  *size = (uint32_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  if (fread(text, 1, *size, file) != *size) exit(2);
  fclose(file);
  return text;
}

static void print_errors(TSNode node) {
  if (!ts_node_has_error(node)) return;
  if (ts_node_symbol(node) == kErrorSymbol || ts_node_is_missing(node)) printf("%u %u ERROR\n", ts_node_start_byte(node), ts_node_end_byte(node));
  for (uint32_t i = 0; i < ts_node_child_count(node); ++i) print_errors(ts_node_child(node, i));
}

int main(int argc, char **argv) {
  uint32_t size, at;
  TSQueryError kind;
  char *source = contents(argv[1], &size);
  TSQuery *query = ts_query_new(tree_sitter_tessera(), source, size, &at, &kind);
  if (!query) return fprintf(stderr, "%s: byte %u: a mistake of kind %d\n", argv[1], at, (int)kind), 2;
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, tree_sitter_tessera())) return fprintf(stderr, "the library is older than the parser\n"), 2;
  for (int i = 2; i < argc; ++i) {
    char *text = contents(argv[i], &size);
    TSTree *tree = ts_parser_parse_string(parser, NULL, text, size);
    printf("file %s\n", argv[i]);
    TSQueryCursor *cursor = ts_query_cursor_new();
    ts_query_cursor_exec(cursor, query, ts_tree_root_node(tree));
    TSQueryMatch match;
    uint32_t index, length;
    while (ts_query_cursor_next_capture(cursor, &match, &index)) {
      const TSQueryCapture *capture = &match.captures[index];
      const char *name = ts_query_capture_name_for_id(query, capture->index, &length);
      printf("%u %u %s\n", ts_node_start_byte(capture->node), ts_node_end_byte(capture->node), name);
    }
    print_errors(ts_tree_root_node(tree));
    ts_query_cursor_delete(cursor);
    ts_tree_delete(tree);
    free(text);
  }
  ts_parser_delete(parser);
  ts_query_delete(query);
  free(source);
  return 0;
}
