(indented_block) @fold
