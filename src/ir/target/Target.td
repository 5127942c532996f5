// The Target dialect: the words of a C-family language, one op for one piece of text.
include "ir/target/TargetTypes.td"
include "ir/target/TargetOps.td"
