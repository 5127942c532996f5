// SARIF logs: what the SARIF 2.1.0 schema requires of each object that we write, and what its fields say.
#include "diag/Render.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tessera::diag {
namespace {

using Json = nlohmann::json;

/// What the schema requires: the members that each object may have, and of which type; `!` marks those that it must.
struct Member {
  const char *name;
  Json::value_t type;
  const char *object = nullptr;  // of an object or of the items of an array: which shape below
  bool required = false;
};
constexpr auto kString = Json::value_t::string, kNumber = Json::value_t::number_unsigned, kObject = Json::value_t::object,
               kArray = Json::value_t::array;
const std::map<std::string, std::vector<Member>> kShapes = {
    {"log", {{"$schema", kString}, {"version", kString, nullptr, true}, {"runs", kArray, "run", true}}},
    {"run", {{"tool", kObject, "tool", true}, {"columnKind", kString}, {"results", kArray, "result"}}},
    {"tool", {{"driver", kObject, "driver", true}}},
    {"driver", {{"name", kString, nullptr, true}, {"semanticVersion", kString}, {"rules", kArray, "rule"}}},
    {"rule", {{"id", kString, nullptr, true}, {"name", kString}, {"shortDescription", kObject, "text"}, {"help", kObject, "text"},
              {"defaultConfiguration", kObject, "configuration"}}},
    {"configuration", {{"level", kString}}},
    {"text", {{"text", kString, nullptr, true}, {"markdown", kString}}},
    {"result", {{"ruleId", kString}, {"ruleIndex", kNumber}, {"level", kString}, {"message", kObject, "text", true},
                {"locations", kArray, "location"}, {"relatedLocations", kArray, "location"}, {"fixes", kArray, "fix"}}},
    {"location", {{"id", kNumber}, {"physicalLocation", kObject, "physical"}, {"message", kObject, "text"}}},
    {"physical", {{"artifactLocation", kObject, "artifact", true}, {"region", kObject, "region"}}},
    {"artifact", {{"uri", kString, nullptr, true}}},
    {"region", {{"startLine", kNumber, nullptr, true}, {"startColumn", kNumber}, {"endLine", kNumber}, {"endColumn", kNumber}}},
    {"fix", {{"description", kObject, "text"}, {"artifactChanges", kArray, "change", true}, {"properties", kObject, "properties"}}},
    {"properties", {{"applicability", kString}}},
    {"change", {{"artifactLocation", kObject, "artifact", true}, {"replacements", kArray, "replacement", true}}},
    {"replacement", {{"deletedRegion", kObject, "region", true}, {"insertedContent", kObject, "text"}}},
};

void expectShape(const Json &json, const std::string &shape) {
  ASSERT_TRUE(json.is_object()) << shape;
  const std::vector<Member> &members = kShapes.at(shape);
  for (const Member &member : members)
    if (member.required) EXPECT_TRUE(json.contains(member.name)) << shape << " needs " << member.name;
  for (const auto &[name, value] : json.items()) {
    auto it = std::find_if(members.begin(), members.end(), [&, key = name](const Member &m) { return m.name == key; });
    ASSERT_NE(it, members.end()) << shape << " has no member " << name;
    EXPECT_EQ(value.type(), it->type) << shape << "." << name;
    if (!it->object) continue;
    if (value.is_array()) {
      if (it->required) EXPECT_FALSE(value.empty()) << name << " has at least one item";
      for (const Json &item : value) expectShape(item, it->object);
    } else {
      expectShape(value, it->object);
    }
  }
}

void expectRegion(const Json &region) {  // 3.30: from 1, and the end not before the start
  EXPECT_GE(region["startLine"], 1);
  EXPECT_GE(region["startColumn"], 1);
  auto start = std::pair(region["startLine"].get<int>(), region["startColumn"].get<int>());
  EXPECT_LE(start, std::pair(region["endLine"].get<int>(), region["endColumn"].get<int>()));
}

class RenderSarif : public testing::Test {
protected:
  void SetUp() override {
    file = sources.add("dir/a b.tsr", "x = \"\xF0\x9D\x84\x9E\" $\ny = 1\n");  // one code point, two UTF-16 units
    engine.report(Id::syntaxError, Span{file, 11, 12}, "`$`")
        .label("no operator")
        .note(Span{file, 0, 1}, "in this statement")
        .help("remove it")
        .fix(Span{file, 10, 12}, "", "remove `$`");
    engine.report(Id::undefinedName, Span{file, 13, 14}, "y").suggest(Span{file, 13, 14}, "x", "write `x`");
    engine.report(Id::cannotReadFile, Span{}, "b\xFF.tsr", "no such file");
    engine.report(Id::syntaxError, Span{file, 0, 1}, "`x`");
  }
  Json log() const {
    auto pageOf = [](std::string_view code) -> std::string_view {
      return code == "E0100" ? "# E0100: Something unexpected\n\nWhy.\n" : "";
    };
    return Json::parse(renderSarif(findingsOf(engine, sources), {"tessera", "1.2.3", pageOf}));
  }
  Sources sources;
  Engine engine;
  FileId file = 0;
};

TEST_F(RenderSarif, HasTheShapeOfTheSchema) {
  expectShape(log(), "log");
  expectShape(Json::parse(renderSarif({}, {"tessera", "1.2.3", nullptr})), "log");
}

TEST_F(RenderSarif, NamesTheToolAndItsRules) {
  Json json = log();
  EXPECT_EQ(json["version"], "2.1.0");
  const Json &driver = json["runs"][0]["tool"]["driver"];
  EXPECT_EQ(driver["name"], "tessera");
  EXPECT_EQ(driver["semanticVersion"], "1.2.3");
  ASSERT_EQ(driver["rules"].size(), 3u);  // one for the two syntax errors; what cannot be read comes first
  EXPECT_EQ(driver["rules"][0]["id"], "E0700");
  EXPECT_EQ(driver["rules"][1]["id"], "E0100");
  EXPECT_EQ(driver["rules"][1]["shortDescription"]["text"], "Something unexpected");
  EXPECT_EQ(driver["rules"][1]["help"]["markdown"], "# E0100: Something unexpected\n\nWhy.\n");
  for (const Json &result : json["runs"][0]["results"])
    EXPECT_EQ(driver["rules"][result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
}

TEST_F(RenderSarif, ColumnsAreCodePoints) {
  Json run = log()["runs"][0];
  EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
  const Json &second = run["results"][2];  // `$`
  const Json &place = second["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "dir/a%20b.tsr");
  EXPECT_EQ(place["region"], Json::parse(R"({"startLine":1,"startColumn":9,"endLine":1,"endColumn":10})"));
  for (const Json &result : run["results"])
    if (result.contains("locations")) expectRegion(result["locations"][0]["physicalLocation"]["region"]);
}

TEST_F(RenderSarif, NotesAndFixesGoWithTheirResult) {
  Json results = log()["runs"][0]["results"];
  EXPECT_FALSE(results[0].contains("locations"));  // a file that cannot be read has no place
  EXPECT_EQ(results[0]["message"]["text"], "I cannot read `b\xEF\xBF\xBD.tsr`: no such file");
  const Json &syntax = results[2];
  EXPECT_EQ(syntax["level"], "error");
  EXPECT_EQ(syntax["message"]["text"], "I did not expect `$` here: no operator\nremove it");
  EXPECT_EQ(syntax["relatedLocations"][0]["message"]["text"], "in this statement");
  const Json &fix = syntax["fixes"][0];
  EXPECT_EQ(fix["properties"]["applicability"], "certain");
  EXPECT_EQ(fix["artifactChanges"][0]["replacements"][0]["deletedRegion"]["startColumn"], 8);
  EXPECT_EQ(fix["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"], "");
  EXPECT_EQ(results[3]["fixes"][0]["properties"]["applicability"], "suggestion");
}

}  // namespace
}  // namespace tessera::diag
