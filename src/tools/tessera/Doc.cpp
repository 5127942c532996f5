// tessera doc: the library reference, one name or all.
#include "diag/Diagnostic.h"
#include "driver/Console.h"
#include "driver/Embedded.h"
#include "tools/tessera/Commands.h"
#include <algorithm>
#include <cstdio>

namespace tessera::tools {
namespace {

struct Section {
  std::string_view group, name, text;  // "Reductions", "sum", from its heading to the next
};

/// The sections "### `name`" of docs/library.md, in its order.
std::vector<Section> sections() {
  std::vector<Section> found;
  std::string_view page = driver::embeddedLibrary().front().text, group;
  for (size_t at = page.find("\n## "); at != std::string_view::npos;) {
    size_t next = std::min(page.find("\n## ", at + 1), page.find("\n### ", at + 1));
    std::string_view part = page.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    std::string_view head = part.substr(0, part.find('\n'));
    if (head.substr(0, 3) == "## ") group = head.substr(3);
    else found.push_back({group, head.substr(5, head.size() - 6), part});
    at = next;
  }
  return found;
}

int list(const std::vector<Section> &all) {
  std::string_view group;
  std::string line;
  auto flush = [&] {
    if (!line.empty()) std::printf("  %s\n", line.c_str());
    line.clear();
  };
  for (const Section &section : all) {
    if (section.group != group) {
      flush();
      group = section.group;
      std::printf("%.*s\n", static_cast<int>(group.size()), group.data());
    }
    if (line.size() + section.name.size() > 100) flush();
    line += (line.empty() ? "" : " ") + std::string(section.name);
  }
  flush();
  return driver::kSuccess;
}

int run(std::string name) {
  std::vector<Section> all = sections();
  if (name.empty()) return list(all);
  if (size_t dot = name.rfind('.'); dot != std::string::npos) name = name.substr(dot + 1);  // tile.max, x.sum
  std::vector<std::string_view> names;
  for (const Section &section : all) {
    if (section.name == name) {
      std::fwrite(section.text.data(), 1, section.text.size(), stdout);
      return driver::kSuccess;
    }
    names.push_back(section.name);
  }
  std::string near(diag::didYouMean(name, names));
  std::fprintf(stderr, "tessera doc: the language knows no `%s`%s\n", name.c_str(),
               near.empty() ? "; `tessera doc` alone lists all names" : ("; did you mean `" + near + "`?").c_str());
  return driver::kBadUsage;
}

}  // namespace

void addDoc(CLI::App &app, Chosen &chosen) {
  auto name = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand("doc", "what a name of the language means: shapes, dtypes, formula, an example");
  command->add_option("name", *name, "a name such as softmax_safe or tile.max; without it, all are listed");
  command->footer("Examples:\n  tessera doc softmax_safe\n  tessera doc tile.barrier\n  tessera doc");
  command->callback([name, &chosen] { chosen = [name] { return run(*name); }; });
}

}  // namespace tessera::tools
