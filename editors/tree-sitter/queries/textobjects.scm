(function_definition (_) @function.inside .) @function.around
(struct_definition (_) @class.inside .) @class.around
(comment) @comment.around
