(function_definition "def" @context (identifier) @name) @item
(struct_definition "struct" @context (identifier) @name) @item
(class_definition "class" @context (identifier) @name) @item
