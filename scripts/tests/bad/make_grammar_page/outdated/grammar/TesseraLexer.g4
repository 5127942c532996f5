/** Words. */
lexer grammar TesseraLexer;

/** A name. */
NAME : [a-z]+ ;
