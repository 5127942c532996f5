// The machine-readable renderers: read back with a JSON reader and compared field by field.
#include "diag/Render.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tessera::diag {
namespace {

using Json = nlohmann::json;

class RenderJson : public testing::Test {
protected:
  void SetUp() override {
    file = sources.add("dir/a b.tsr", "x = \"é\" $\ny = 1\n");
    engine.report(Id::syntaxError, Span{file, 9, 10}, "`$`")
        .label("no operator")
        .note(Span{file, 0, 1}, "in this statement")
        .help("remove it")
        .fix(Span{file, 8, 10}, "", "remove `$`");
    engine.report(Id::cannotReadFile, Span{}, "b\xFF.tsr", "no such file");
  }
  Sources sources;
  Engine engine;
  FileId file = 0;
};

TEST_F(RenderJson, HasEveryFieldOfADiagnostic) {
  Json json = Json::parse(renderJson(engine, sources));
  ASSERT_EQ(json["diagnostics"].size(), 2u);
  const Json &d = json["diagnostics"][0];
  EXPECT_EQ(d["code"], "E0100");
  EXPECT_EQ(d["name"], "syntaxError");
  EXPECT_EQ(d["severity"], "error");
  EXPECT_EQ(d["message"], "I did not expect `$` here");
  EXPECT_EQ(d["label"], "no operator");
  EXPECT_EQ(d["file"], "dir/a b.tsr");
  EXPECT_EQ(d["line"], 1);
  EXPECT_EQ(d["column"], 9);  // code points: é is one
  EXPECT_EQ(d["endLine"], 1);
  EXPECT_EQ(d["endColumn"], 10);
  ASSERT_EQ(d["notes"].size(), 2u);
  EXPECT_EQ(d["notes"][0]["message"], "in this statement");
  EXPECT_EQ(d["notes"][0]["column"], 1);
  EXPECT_EQ(d["notes"][1]["message"], "remove it");
  EXPECT_FALSE(d["notes"][1].contains("file"));
  ASSERT_EQ(d["fixes"].size(), 1u);
  EXPECT_EQ(d["fixes"][0]["title"], "remove `$`");
  EXPECT_EQ(d["fixes"][0]["replacement"], "");
  EXPECT_EQ(d["fixes"][0]["byteBegin"], 8);
  EXPECT_EQ(d["fixes"][0]["byteEnd"], 10);
}

TEST_F(RenderJson, BytesThatAreNotUtf8AreReplaced) {
  Json json = Json::parse(renderJson(engine, sources));
  EXPECT_EQ(json["diagnostics"][1]["message"], "I cannot read `b\xEF\xBF\xBD.tsr`: no such file");
  EXPECT_FALSE(json["diagnostics"][1].contains("line"));
}

TEST_F(RenderJson, AnEmptyEngineIsAnEmptyList) {
  EXPECT_EQ(Json::parse(renderJson(Engine(), sources)), Json::parse(R"({"diagnostics": []})"));
}

TEST_F(RenderJson, SarifHasRulesResultsAndFixes) {
  engine.report(Id::syntaxError, Span{file, 0, 1}, "`x`");
  Json json = Json::parse(renderSarif(engine, sources));
  EXPECT_EQ(json["version"], "2.1.0");
  const Json &run = json["runs"][0];
  const Json &rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), 2u);  // one rule for the two syntax errors
  EXPECT_EQ(rules[0]["id"], "E0100");
  EXPECT_EQ(rules[1]["id"], "E0700");
  EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
  ASSERT_EQ(run["results"].size(), 3u);
  const Json &first = run["results"][0];
  EXPECT_EQ(first["ruleId"], "E0100");
  EXPECT_EQ(first["ruleIndex"], 0);
  EXPECT_EQ(first["level"], "error");
  EXPECT_EQ(first["message"]["text"], "I did not expect `$` here: no operator\nremove it");
  const Json &place = first["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "dir/a%20b.tsr");
  EXPECT_EQ(place["region"], Json::parse(R"({"startLine":1,"startColumn":9,"endLine":1,"endColumn":10})"));
  EXPECT_EQ(first["relatedLocations"][0]["message"]["text"], "in this statement");
  const Json &change = first["fixes"][0]["artifactChanges"][0];
  EXPECT_EQ(change["artifactLocation"]["uri"], "dir/a%20b.tsr");
  EXPECT_EQ(change["replacements"][0]["deletedRegion"]["startColumn"], 8);
  EXPECT_EQ(change["replacements"][0]["insertedContent"]["text"], "");
  EXPECT_FALSE(run["results"][1].contains("locations"));
  EXPECT_EQ(run["results"][2]["ruleIndex"], 0);
}

}  // namespace
}  // namespace tessera::diag
