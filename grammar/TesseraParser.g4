/**
 * The sentences of Tessera.
 *
 * The grammar is left-factored so that one or two words decide each alternative. It is a little wider than the
 * language: what may stand left of `=`, the order of arguments and parameters, and a `try` without a clause are
 * checked while the tree is built, where a better message can be given.
 */
parser grammar TesseraParser;

options { tokenVocab = TesseraLexer; superClass = RuleParser; contextSuperClass = RuleNode; }
@parser::postinclude {
#include "frontend/RuleParser.h"
}

/** A file: statements, one after the other. */
module : statement* EOF ;

/** The expression between the braces of an f-string. */
interpolation : expressions EOF ;

/** A statement: simple ones share a line, compound ones own the indented block below their header. */
statement
  : simpleLine       # simpleLineStatement
  | ifStatement      # conditionalStatement
  | whileStatement   # whileLoop
  | forStatement     # forLoop
  | withStatement    # withBlock
  | tryStatement     # tryBlock
  | definition       # definitionStatement
  | decorated        # decoratedStatement
  | errorStatement   # unreadStatement
  ;

/** Simple statements on one line, separated by `;`. */
simpleLine : simpleStatement (';' simpleStatement)* ';'? NEWLINE ;

/** A statement without a block of its own. */
simpleStatement
  : expressions assignment?                                   # expressionStatement
  | 'return' expressions?                                     # returnStatement
  | 'pass'                                                    # passStatement
  | 'break'                                                   # breakStatement
  | 'continue'                                                # continueStatement
  | 'raise' (expression ('from' expression)?)?                # raiseStatement
  | 'assert' namedExpression (',' expression)?                # assertStatement
  | 'del' targets                                             # delStatement
  | ('global' | 'nonlocal') NAME (',' NAME)*                  # globalStatement
  | 'import' importItem (',' importItem)*                     # importStatement
  | 'from' (dots+=('.' | '..' | '...'))* path? 'import' importedNames # fromImportStatement
  | POLICY NAME '=' expression                                # policyDefinition
  | STATE NAME (':' expression)? ('=' expressions)?           # stateDefinition
  ;

/** What makes an expression statement an assignment. */
assignment
  : ':' expression ('=' expressions)?                         # annotatedAssignment
  | ('=' expressions)+                                        # plainAssignment
  | op=('+=' | '-=' | '*=' | '/=' | '//=' | '%=' | '@=' | '**=' | '<<=' | '>>=' | '&=' | '|=' | '^=') expressions
                                                              # augmentedAssignment
  | '~' expression                                            # sampleAssignment
  ;

/** `a.b.c` in an import. */
path : NAME ('.' NAME)* ;

/** `tessera.migrate as migrate` */
importItem : path ('as' NAME)? ;

/** The names behind `import` in a from-import. */
importedNames
  : '*'                                                       # importStar
  | '(' importedName (',' importedName)* ','? ')'             # importGroup
  | importedName (',' importedName)*                          # importList
  ;

/** `mlp as feed_forward` */
importedName : NAME ('as' NAME)? ;

/** The body of a compound statement: an indented block below, or simple statements on the same line. */
block
  : NEWLINE INDENT statement+ DEDENT                          # indentedBlock
  | simpleLine                                                # lineBlock
  ;

/** `if`, any number of `elif`, and an `else`. */
ifStatement : 'if' namedExpression ':' block elifClause* elseClause? ;

/** `elif condition:` */
elifClause : 'elif' namedExpression ':' block ;

/** `else:` behind if, while, for and try. */
elseClause : 'else' ':' block ;

/** A loop while a condition holds; the `else` block runs when it ends without `break`. */
whileStatement : 'while' namedExpression ':' block elseClause? ;

/** A loop over the items of something. */
forStatement : ASYNC? 'for' targets 'in' expressions ':' block elseClause? ;

/** A block inside contexts (devices, prefetches, mesh axes). */
withStatement : ASYNC? 'with' withItem (',' withItem)* ':' block ;

/** `prefetch(cache) as handle` */
withItem : expression ('as' operation)? ;

/** Exceptions of host code. */
tryStatement : 'try' ':' block exceptClause* elseClause? finallyClause? ;

/** `except (DeviceError, IOError) as err:` */
exceptClause : 'except' (expression ('as' NAME)?)? ':' block ;

/** `finally:` */
finallyClause : 'finally' ':' block ;

/** A function, a class or a struct. */
definition : functionDefinition | classDefinition | structDefinition ;

/** A definition below its decorators. */
decorated : decoratorLine+ (definition | errorStatement) ;

/** `@jit @autodiff`: several decorators may share a line. */
decoratorLine : decorator+ NEWLINE ;

/** `@kernel.schedule(tuned)` */
decorator : '@' primary ;

/** A function: type parameters, parameters, result, facts, effects, body. */
functionDefinition
  : ASYNC? 'def' NAME typeParameters? '(' (parameter (',' parameter)* ','?)? ')' ('->' expression)?
    (whereClause | effectsClause)* ':' block
  ;

/** `where D % H == 0, D <= 256`: facts about dimensions. A line break before `where` or behind its commas is a blank. */
whereClause : WHERE expression (',' expression)* ;

/** `effects[random, collective("tp")]`: the effects that the function may have. */
effectsClause : EFFECTS '[' (expression (',' expression)* ','?)? ']' ;

/** `[B, D]`, `[K: Int]`: the dimensions and types over which a definition is generic. */
typeParameters : '[' typeParameter (',' typeParameter)* ','? ']' ;

/** A type parameter, with what it is bound by. */
typeParameter : NAME (':' expression)? ;

/** A parameter. What stands behind `*` is given by keyword only. */
parameter
  : NAME (':' expression)? ('=' expression)?                  # plainParameter
  | '*' (NAME (':' expression)?)?                             # starParameter
  | '**' NAME (':' expression)?                               # optionsParameter
  ;

/** A class. */
classDefinition : 'class' NAME typeParameters? ('(' (argument (',' argument)* ','?)? ')')? ':' block ;

/** A struct: named fields with their types. */
structDefinition : STRUCT NAME typeParameters? ':' block ;

/** A line for which a message was given, with the block below it. */
errorStatement : ERROR_LINE NEWLINE (INDENT statement+ DEDENT)? ;

/** One expression, or several separated by commas: a tuple. */
expressions : item (',' item)* ','? ;

/** An expression, or `*rest` to unpack one. */
item
  : '*' operation                                             # starredItem
  | expression                                                # plainItem
  ;

/** What `for` and `del` name. */
targets : target (',' target)* ','? ;

/** A target, or `*rest`. */
target : '*'? operation ;

/** `n := e`, which names a value inside an expression; or an expression. */
namedExpression : (NAME ':=')? expression ;

/** An expression: a choice between two values, a function without a name, or a condition. */
expression
  : condition ('if' condition 'else' expression)?             # conditional
  | 'lambda' (lambdaParameter (',' lambdaParameter)* ','?)? ':' expression # lambda
  ;

/** A parameter of a lambda. */
lambdaParameter
  : NAME ('=' expression)?                                    # plainLambdaParameter
  | '*' NAME?                                                 # starLambdaParameter
  | '**' NAME                                                 # optionsLambdaParameter
  ;

/** `not`, `and`, `or` over comparisons, binding in this order. */
condition
  : operation (comparator operation)*                         # comparison
  | 'not' condition                                           # negation
  | condition 'and' condition                                 # conjunction
  | condition 'or' condition                                  # disjunction
  ;

/** A comparison; `a < b <= c` compares each neighbour. */
comparator : '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not' 'in' | 'is' 'not'? ;

/** Arithmetic, tightest first. In a type, `bf16 @accum(f32)` puts a policy on a dtype. */
operation
  : primary                                                   # operand
  | <assoc=right> operation '**' operation                    # power
  | op=('+' | '-' | '~') operation                            # sign
  | operation op=('*' | '/' | '//' | '%' | '@') operation     # product
  | operation op=('+' | '-') operation                        # sum
  | operation op=('<<' | '>>') operation                      # shift
  | operation '&' operation                                   # bitAnd
  | operation '^' operation                                   # bitXor
  | operation '|' operation                                   # bitOr
  | operation op=('..=' | '..') operation                     # range
  ;

/** An atom and what is applied to it. */
primary : AWAIT? atom trailer* ;

/** What may stand behind a value. */
trailer
  : '(' (argument (',' argument)* ','?)? ')'                  # call
  | '[' (subscript (',' subscript)* ','?)? ']'                # index
  | '.' NAME                                                  # attribute
  | '{' (expression (',' expression)* ','?)? '}'              # shardSpecification
  ;

/** An argument of a call. */
argument
  : NAME '=' expression                                       # keywordArgument
  | '*' expression                                            # spreadArgument
  | '**' expression                                           # optionsArgument
  | namedExpression comprehensionClause*                      # plainArgument
  ;

/** An item between `[` and `]` behind a value: an index, a slice, a type argument or a policy. */
subscript
  : NAME '=' expression                                       # keywordSubscript
  | ('@' primary)+                                            # policySubscript
  | '*' expression                                            # spreadSubscript
  | namedExpression sliceTail?                                # plainSubscript
  | sliceTail                                                 # openSubscript
  ;

/** `:stop:step` of a slice; each part may be left out. */
sliceTail : ':' upper=expression? (':' step=expression?)? ;

/** A value without operators. */
atom
  : NAME                                                      # name
  | INTEGER                                                   # integer
  | FLOAT                                                     # float
  | IMAGINARY                                                 # imaginary
  | STRING+                                                   # strings
  | 'True'                                                    # true
  | 'False'                                                   # false
  | 'None'                                                    # none
  | '...'                                                     # ellipsis
  | '(' (groupItem (comprehensionClause+ | (',' groupItem)* ','?))? ')' # group
  | '[' (groupItem (comprehensionClause+ | ';' expression | (',' groupItem)* ','?))? ']' # list
  | '{' (braceItem (comprehensionClause+ | (',' braceItem)* ','?))? '}' # braces
  | ERROR_EXPRESSION                                          # unread
  ;

/** An item of a tuple or list. */
groupItem
  : '*' operation                                             # starredGroupItem
  | namedExpression                                           # plainGroupItem
  ;

/** An item of a set, or of a dict when a `:` stands in it. */
braceItem
  : '**' operation                                            # spreadBraceItem
  | '*' operation                                             # starredBraceItem
  | namedExpression (':' expression)?                         # plainBraceItem
  ;

/** `for i in range(8) if i % 2` inside a list, set, dict or generator. */
comprehensionClause : ASYNC? 'for' targets 'in' condition ('if' condition)* ;
