[(indented_block) (group) (list) (braces) (call) (index)] @indent
[")" "]" "}"] @outdent
