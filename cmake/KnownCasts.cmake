# The casts of the generated parser ask at run time for what is known where it was generated: which alternative a node was just
# made for, and that a visitor of these trees is one of this grammar. They are a tenth of the time of reading a program.
file(READ "${FILE}" text)
string(REPLACE "dynamic_cast<" "static_cast<" text "${text}")
file(WRITE "${FILE}" "${text}")
