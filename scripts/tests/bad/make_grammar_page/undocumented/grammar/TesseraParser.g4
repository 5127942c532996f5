/** Sentences. */
parser grammar TesseraParser;

module : NAME EOF ;
