/** Sentences. */
parser grammar TesseraParser;

/** A file. */
module : NAME EOF ;
