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
  const Json &d = json["diagnostics"][1];
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
  EXPECT_EQ(json["diagnostics"][0]["message"], "I cannot read `b\xEF\xBF\xBD.tsr`: no such file");
  EXPECT_FALSE(json["diagnostics"][0].contains("line"));
}

TEST_F(RenderJson, AnEmptyEngineIsAnEmptyList) {
  EXPECT_EQ(Json::parse(renderJson(Engine(), sources)), Json::parse(R"({"diagnostics": []})"));
}

TEST_F(RenderJson, FixesSayHowSureTheyAre) {
  engine.report(Id::undefinedName, Span{file, 13, 14}, "y").suggest(Span{file, 13, 14}, "x", "write `x`");
  Json json = Json::parse(renderJson(engine, sources));
  std::map<std::string, std::string> found;
  for (const Json &d : json["diagnostics"])
    for (const Json &fix : d["fixes"]) found[fix["title"]] = fix["applicability"];
  EXPECT_EQ(found, (std::map<std::string, std::string>{{"remove `$`", "certain"}, {"write `x`", "suggestion"}}));
}

TEST_F(RenderJson, OfOneCodeAHundredAreEnough) {
  for (int i = 0; i < 150; ++i) engine.report(Id::undefinedName, Span{file, 13, 14}, "y" + std::to_string(i));
  Json json = Json::parse(renderJson(engine, sources));
  EXPECT_EQ(json["diagnostics"].size(), 102u);  // and the two of the others
  EXPECT_EQ(json["notShown"], Json::parse(R"({"E0200": 50})"));
  const std::string text = renderText(engine, sources);
  EXPECT_NE(text.find("50 more messages of E0200 are not shown\n152 errors"), std::string::npos) << text.substr(text.size() - 200);
}

TEST_F(RenderJson, ARunHasASummary) {
  RunSummary summary;
  summary.files = 3, summary.fromCache = 2, summary.errors = 2, summary.filesWithErrors = 1, summary.seconds = 0.5;
  Json json = Json::parse(renderJson(shortened(findingsOf(engine, sources)), &summary));
  EXPECT_EQ(json["summary"], Json::parse(R"({"files":3,"filesWithErrors":1,"fromCache":2,"unreadable":0,
                                             "errors":2,"warnings":0,"seconds":0.5})"));
}

}  // namespace
}  // namespace tessera::diag
