// The words of grammar/TesseraLexer.g4 as tree-sitter's lexer has them.
const digits = '[0-9](_?[0-9])*';
const exponent = `[eE][+-]?${digits}`;
const point = `(${digits})?\\.${digits}|${digits}\\.`;
const pattern = (text) => new RegExp(text);

module.exports = {
  identifier: /[A-Za-z_][A-Za-z_0-9]*/,
  integer: pattern(`${digits}|0[xX](_?[0-9a-fA-F])+|0[oO](_?[0-7])+|0[bB](_?[01])+`),
  float: pattern(`(${point})(${exponent})?|${digits}${exponent}`),
  imaginary: pattern(`(${digits}|${point}|(${digits}|${point})${exponent})[jJ]`),
  strings: [
    /([rRfFuU]|[rR][fF]|[fF][rR])?"([^"\\\r\n]|\\(.|\r?\n))*"/,
    /([rRfFuU]|[rR][fF]|[fF][rR])?'([^'\\\r\n]|\\(.|\r?\n))*'/,
    /([rRfFuU]|[rR][fF]|[fF][rR])?"""(("|"")?([^"\\]|\\(.|\r?\n)))*"""/,
    /([rRfFuU]|[rR][fF]|[fF][rR])?'''(('|'')?([^'\\]|\\(.|\r?\n)))*'''/,
  ],
  comment: /#[^\r\n]*/,
  blanks: [/[\s\f]/, /\\\r?\n/],
};
