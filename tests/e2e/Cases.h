// What the programs of tests/canon are run with.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct Case {
  std::map<std::string, int64_t> dims;
  std::map<std::string, std::string> scalars;  // name -> text, as behind --arg
};
struct Subject {
  std::string file, function;
  double relative, absolute;  // how far a result may be from the reference
  std::vector<Case> cases;
};
/// Sizes 0 and 1, primes, one less and one more than a tile, long rows.
const std::vector<Subject> &subjects();
/// Those of a program; for one that has none there, what its lines `# run:` ask for (programs.py says how).
std::vector<Subject> subjectsOf(const std::string &file, const std::string &text);
