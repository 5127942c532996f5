// Which headers and features a text needs, and those headers pasted into one.
#include "codegen/Printers.h"
#include "support/Check.h"
#include <cctype>
#include <sstream>

namespace tessera::codegen {
namespace {

const std::map<std::string, std::string> &helperHeaders() {
  static const std::map<std::string, std::string> table = {
#define TSR_HELPER(name, header) {#name, header},
#include "codegen/Helpers.def"
  };
  return table;
}

/// The path of `#include "tessera/..."`, or "".
std::string includedPath(const std::string &line) {
  const std::string start = "#include \"tessera/";
  if (line.compare(0, start.size(), start) != 0) return "";
  size_t open = line.find('"'), close = line.find('"', open + 1);
  return line.substr(open + 1, close - open - 1);
}

class Paste {
public:
  Paste(const std::function<std::string(const std::string &)> &headerText) : headerText_(headerText) {}
  void add(const std::string &path) {
    if (!done_.insert(path).second) return;
    std::istringstream text(headerText_(path));
    std::string own;
    for (std::string line; std::getline(text, line);) {
      if (std::string inner = includedPath(line); !inner.empty()) add(inner);
      else if (line != "#pragma once") own += line + "\n";
    }
    result_ +=
        "// ---------------------------------------------------------------- " + path + "\n" + own + "\n";
  }
  const std::string &result() const { return result_; }

private:
  const std::function<std::string(const std::string &)> &headerText_;
  std::set<std::string> done_;
  std::string result_;
};

}  // namespace

std::vector<std::string> featuresOf(const std::string &text, Target target) {
  struct Row {
    Target target;
    const char *text, *feature;
  };
  static const Row rows[] = {
#define TSR_FEATURE(target, text, feature) {Target::target, text, feature},
#include "codegen/Features.def"
  };
  std::vector<std::string> features;
  for (const Row &row : rows)
    if (row.target == target && text.find(row.text) != std::string::npos) features.push_back(row.feature);
  return features;
}

std::vector<std::string> headersFor(const std::string &text) {
  std::set<std::string> headers;
  const std::string prefix = "tsr::";
  auto endOfName = [&](size_t at) {
    while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_')) ++at;
    return at;
  };
  for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
    if (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_')) continue;
    const size_t begin = at + prefix.size(), end = endOfName(begin);
    std::string name = text.substr(begin, end - begin);
    auto found = helperHeaders().find(name);
    TSR_CHECK(found != helperHeaders().end(),
              "no header of include/tessera is known to declare tsr::" + name);
    headers.insert(found->second);
    if (name != "host") continue;
    const size_t last = endOfName(end + 2);  // behind the `::`: some functions of host code have a header of their own
    if (auto own = helperHeaders().find(text.substr(begin, last - begin)); own != helperHeaders().end()) headers.insert(own->second);
  }
  return {headers.begin(), headers.end()};
}

std::string pastedHeaders(const std::vector<std::string> &roots,
                          const std::function<std::string(const std::string &)> &headerText) {
  Paste paste(headerText);
  for (const std::string &root : roots) paste.add(root);
  return paste.result();
}

}  // namespace tessera::codegen
