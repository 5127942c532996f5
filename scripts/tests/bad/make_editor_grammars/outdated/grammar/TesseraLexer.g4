lexer grammar TesseraLexer;

tokens { INDENT, DEDENT, WHERE }

AND      : 'and' ;
DEF      : 'def' ;
IF       : 'if' ;
IMPORT   : 'import' ;
TRUE     : 'True' ;
