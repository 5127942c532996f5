/** A file: names. */
module : NAME* EOF ;
