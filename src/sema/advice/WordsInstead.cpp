// What is written instead of functions and classes of others for which there is no one name here.
#include "sema/advice/Foreign.h"
#include "sema/advice/Recipes.h"
#include <algorithm>
#include <map>
#include <string_view>

namespace tessera::sema {

namespace {

std::map<std::string_view, std::string_view> tableOfWords() {
  static constexpr std::pair<std::string_view, std::string_view> kRows[] = {
#define TSR_FOREIGN(names, sentence) {names, sentence},
#include "sema/advice/ForeignWords.def"
  };
  std::map<std::string_view, std::string_view> words;
  for (auto [names, sentence] : kRows)
    while (!names.empty()) {
      const size_t end = std::min(names.find(' '), names.size());
      words.emplace(names.substr(0, end), sentence);
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  return words;
}

}  // namespace

std::string_view wordsInstead(std::string_view name) {
  static const std::map<std::string_view, std::string_view> words = tableOfWords();
  auto it = words.find(name);
  return it == words.end() ? std::string_view() : it->second;
}

namespace {

/// "HuberLoss" in the ways in which functions are written: "huberloss", "huber_loss".
std::vector<std::string> asFunctions(std::string_view name) {
  std::string plain, parts;
  bool capital = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool upper = name[i] >= 'A' && name[i] <= 'Z';
    const char lower = upper ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
    if (upper && i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z') parts += '_';
    plain += lower, parts += lower;
    capital |= upper;
  }
  return capital ? std::vector{plain, parts} : std::vector<std::string>();
}

/// Of what is here under this name, or another one of ours: in kernels, of `tile` rather than of all functions.
std::string wordsOfFunction(std::string_view name, bool inKernel, const SignatureOf &signatureOf) {
  for (bool ofTiles : {true, false}) {
    if (ofTiles && !inKernel) continue;
    for (std::string_view ours : {name, ofTiles ? tileNameHere(name) : nameHere(name)}) {
      const auto signature = ours.empty() ? std::nullopt : signatureOf(ours, ofTiles);
      if (!signature) continue;
      const std::string called = (ofTiles ? "tile." : "") + std::string(ours);
      std::string words = ofTiles        ? "it is `" + called + "` here"
                          : ours == name ? "`" + called + "` is there without a prefix"
                                         : "it is `" + called + "` here, without a prefix";
      return signature->empty() ? words : words + ", and takes `" + *signature + "`";
    }
  }
  return formulaInWords(name);
}

}  // namespace

std::string wordsOfMethod(std::string_view name) {
  std::string words(memberInstead(name));
  if (words.empty()) words = wordsInstead(name);
  if (words.empty()) words = formulaInWords(name);
  if (!words.empty() || name.size() < 2 || !name.ends_with('_') || name.ends_with("__")) return words;
  return "changing in place is not possible: the new value gets a name, `x = ...`";
}

std::string wordsOfPackage(std::string_view name, bool inKernel, const SignatureOf &signatureOf) {
  const bool ofTiles = name == "load" || name == "store";
  if (name == "load" && !inKernel) return "arrays are read by `load_npy(path)`, the weights of a struct by `load_safetensors(path, Model)`";
  if (name == "save") return "`save_npy(path, x)` writes a tensor, `save_safetensors(path, model)` the weights of a struct";
  if (std::string_view words = wordsInstead(name); !words.empty() && (inKernel || !ofTiles)) return std::string(words);
  if (std::string words = wordsOfFunction(name, inKernel, signatureOf); !words.empty()) return words;
  if (std::string_view constant = constantHere(name); !constant.empty()) return "it is `" + std::string(constant) + "` here";
  for (const std::string &function : asFunctions(name)) {
    std::string words = wordsOfFunction(function, inKernel, signatureOf);
    if (!words.empty()) return words;
    if (std::string_view instead = wordsInstead(function); !instead.empty()) return std::string(instead);
  }
  return wordsOfMethod(name);
}

}  // namespace tessera::sema
