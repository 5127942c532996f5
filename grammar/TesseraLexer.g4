/**
 * The words of Tessera.
 *
 * The lexer works on the bytes of UTF-8 text, so that the place of a token is its byte offset. It knows nothing of
 * lines: the layout pass behind it (src/frontend/Layout.h) drops line breaks inside brackets, turns the others into
 * NEWLINE, measures indentation into INDENT and DEDENT, sets comments aside, and recognises the contextual
 * keywords, which are ordinary names everywhere else.
 */
lexer grammar TesseraLexer;

tokens {
  INDENT, DEDENT,
  // Contextual keywords: `policy`, `struct` and `state` before a name at the start of a statement, `where` and
  // `effects` behind a signature, `async` before def, for and with, `await` before an operand.
  POLICY, STRUCT, STATE, WHERE, EFFECTS, ASYNC, AWAIT,
  // Stand-ins for text for which a message was given. The lexer never makes them.
  ERROR_EXPRESSION, ERROR_LINE
}

/** Keywords. They cannot be names. */
AND      : 'and' ;
AS       : 'as' ;
ASSERT   : 'assert' ;
BREAK    : 'break' ;
CLASS    : 'class' ;
CONTINUE : 'continue' ;
DEF      : 'def' ;
DEL      : 'del' ;
ELIF     : 'elif' ;
ELSE     : 'else' ;
EXCEPT   : 'except' ;
FALSE    : 'False' ;
FINALLY  : 'finally' ;
FOR      : 'for' ;
FROM     : 'from' ;
GLOBAL   : 'global' ;
IF       : 'if' ;
IMPORT   : 'import' ;
IN       : 'in' ;
IS       : 'is' ;
LAMBDA   : 'lambda' ;
NONE     : 'None' ;
NONLOCAL : 'nonlocal' ;
NOT      : 'not' ;
OR       : 'or' ;
PASS     : 'pass' ;
RAISE    : 'raise' ;
RETURN   : 'return' ;
TRUE     : 'True' ;
TRY      : 'try' ;
WHILE    : 'while' ;
WITH     : 'with' ;

/** Brackets. Inside a pair, line breaks are blanks. */
LPAREN   : '(' ;
RPAREN   : ')' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
LBRACE   : '{' ;
RBRACE   : '}' ;

/** Operators and punctuation. */
ARROW            : '->' ;
PLUS_ASSIGN      : '+=' ;
MINUS_ASSIGN     : '-=' ;
STAR_ASSIGN      : '*=' ;
SLASH_ASSIGN     : '/=' ;
FLOOR_ASSIGN     : '//=' ;
PERCENT_ASSIGN   : '%=' ;
AT_ASSIGN        : '@=' ;
POWER_ASSIGN     : '**=' ;
LSHIFT_ASSIGN    : '<<=' ;
RSHIFT_ASSIGN    : '>>=' ;
AND_ASSIGN       : '&=' ;
OR_ASSIGN        : '|=' ;
XOR_ASSIGN       : '^=' ;
WALRUS           : ':=' ;
EQ               : '==' ;
NE               : '!=' ;
LE               : '<=' ;
GE               : '>=' ;
LSHIFT           : '<<' ;
RSHIFT           : '>>' ;
POWER            : '**' ;
FLOOR            : '//' ;
ELLIPSIS         : '...' ;
RANGE_INCLUSIVE  : '..=' ;
RANGE            : '..' ;
ASSIGN           : '=' ;
LT               : '<' ;
GT               : '>' ;
PLUS             : '+' ;
MINUS            : '-' ;
STAR             : '*' ;
SLASH            : '/' ;
PERCENT          : '%' ;
AT               : '@' ;
AMPERSAND        : '&' ;
PIPE             : '|' ;
CARET            : '^' ;
TILDE            : '~' ;
DOT              : '.' ;
COMMA            : ',' ;
COLON            : ':' ;
SEMICOLON        : ';' ;

/** A name: ASCII letters, digits and `_`, not starting with a digit. */
NAME : [a-zA-Z_] [a-zA-Z_0-9]* ;

/** `2j`, `1.5j`: an imaginary number. */
IMAGINARY : (DIGITS | POINT_FLOAT | EXPONENT_FLOAT) [jJ] ;

/** `1.5`, `.5`, `1.`, `1e-5`: a floating-point number. */
FLOAT : POINT_FLOAT | EXPONENT_FLOAT ;

/** `42`, `1_000`, `0x_ff`, `0o17`, `0b11`: an integer. */
INTEGER
  : DIGITS
  | '0' [xX] ('_'? [0-9a-fA-F])+
  | '0' [oO] ('_'? [0-7])+
  | '0' [bB] ('_'? [01])+
  ;

/** An integer directly before `..` or `..=`; it is split at once, so that `1..=8` is not read as `1.` and `.=8`. */
RANGE_START : DIGITS '..' '='? ;

/** A string, on one line or between triple quotes. Prefixes: `r` raw, `f` formatted, `u` nothing. */
STRING : PREFIX? (LONG_STRING | SHORT_STRING) ;

/** A string whose closing quote is missing. */
UNTERMINATED_STRING
  : PREFIX? ('"' (ESCAPE | ~["\\\r\n])* | '\'' (ESCAPE | ~['\\\r\n])*)
  ;

/** From `#` to the end of the line. */
COMMENT : '#' ~[\r\n]* ;

/** The end of a line. */
NEWLINE : '\r'? '\n' ;

/** A backslash at the end of a line joins it with the next one. */
JOINED_LINE : '\\' '\r'? '\n' -> skip ;

/** Blanks between words. */
BLANK : [ \t\f]+ -> skip ;

/** Any other character; it is never part of a program. */
UNKNOWN : . ;

fragment PREFIX : [rRfFuU] | [rR] [fF] | [fF] [rR] ;
fragment SHORT_STRING : '"' (ESCAPE | ~["\\\r\n])* '"' | '\'' (ESCAPE | ~['\\\r\n])* '\'' ;
fragment LONG_STRING : '"""' (ESCAPE | ~[\\])*? '"""' | '\'\'\'' (ESCAPE | ~[\\])*? '\'\'\'' ;
fragment ESCAPE : '\\' ('\r\n' | .) ;
fragment DIGITS : [0-9] ('_'? [0-9])* ;
fragment POINT_FLOAT : DIGITS? '.' DIGITS | DIGITS '.' ;
fragment EXPONENT_FLOAT : (DIGITS | POINT_FLOAT) [eE] [+-]? DIGITS ;
