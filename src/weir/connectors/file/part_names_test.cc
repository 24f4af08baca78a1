#include "weir/connectors/file/part_names.h"

#include <gtest/gtest.h>

#include "weir/connectors/file/owner_file.h"

namespace weir::connectors {
namespace {

TEST(PartNames, SayWhatTheySaidWhenTheyAreReadBack) {
  const StagedName staged{.job = {{1, 2}},
                          .sink = operator_id_of("out"),
                          .subtask = {3},
                          .epoch = {4},
                          .attempt = {5},
                          .after = {6}};
  EXPECT_EQ(StagedName::parse(staged.text()), staged);
  EXPECT_TRUE(staged.text().starts_with(".staged-0102")) << staged.text();
  EXPECT_TRUE(staged.text().ends_with("-s3-e4-a5-c6")) << staged.text();
  const VisibleName visible{.subtask = {3}, .checkpoint = {18}};
  EXPECT_EQ(visible.text(), "part-3-18");
  EXPECT_EQ(VisibleName::parse("part-3-18"), visible);
  const OwnerDraftName draft{
      .job = {{1}}, .sink = operator_id_of("out"), .subtask = {0}, .epoch = {1}, .attempt = {2}};
  EXPECT_EQ(OwnerDraftName::parse(draft.text()), draft);
  for (const char* other :
       {"part-3", "part-3-", "part-03-1", "part-3-1x", "part--1-1",
        "part-3-99999999999999999999999", "part-4294967296-1", ".weir-sink", "", "xpart-3-18"}) {
    EXPECT_FALSE(VisibleName::parse(other)) << other;
    EXPECT_FALSE(StagedName::parse(other)) << other;
    EXPECT_FALSE(OwnerDraftName::parse(other)) << other;
  }
}

TEST(SinkOwnerFile, OneOwnerHasOneText) {
  const SinkOwner owner{.job = {{1}}, .sink = operator_id_of("out"), .sink_name = "out 100%\n"};
  const auto text = owner.text();
  const auto again = SinkOwner::parse(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->sink_name, owner.sink_name);
  EXPECT_TRUE(again->is_same_sink_of_job(owner));
  for (std::size_t size = 0; size != text.size(); ++size)
    EXPECT_FALSE(SinkOwner::parse(text.substr(0, size)));
  for (std::size_t at = 0; at != text.size(); ++at) {
    auto damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(SinkOwner::parse(damaged)) << at;
  }
  EXPECT_FALSE(SinkOwner::parse(text + "\n"));
}

}  // namespace
}  // namespace weir::connectors
