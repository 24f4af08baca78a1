#include "weir/ha/file/run_text.h"

#include "weir/base/bytes.h"
#include "weir/base/checksum.h"

namespace weir::ha {
namespace {

RunRecord sample() {
  return {.job = make_job_id(1'700'000'000'000, 0x123, 0x4567),
          .epoch = {3},
          .ids_reserved = {32},
          .newest = Pointer{{18}, "018b/chk-18/_metadata"},
          .retained = {{{17}, "018b/chk-17/_metadata"}, {{15}, "018b/chk-15/_metadata"}},
          .result = RunResult{{1'764'441'845'000}, "100% of größe\nread"},
          .rest_address = "127.0.0.1:8081"};
}

constexpr const char* kSampleText =
    "weir-run 1\n"
    "job-id=018bcfe5680073018000000000004567\n"
    "epoch=3\n"
    "ids-reserved=32\n"
    "newest=18 018b/chk-18/_metadata\n"
    "retained=17 018b/chk-17/_metadata\n"
    "retained=15 018b/chk-15/_metadata\n"
    "finished=1764441845000 100%25 of größe%0Aread\n"
    "rest=127.0.0.1:8081\n";

std::string with_checksum(std::string text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  auto sum = checksum(bytes_of(text));
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- != 0; sum >>= 4) digits[i] = kDigits[sum & 15];
  return text + "checksum=" + digits + "\n";
}

void expect_corrupt(const std::string& text, const std::string& mention) {
  const auto parsed = parse_run_text(text, "averages/run");
  ASSERT_FALSE(parsed) << text;
  EXPECT_EQ(parsed.error().code, Code::kCorrupt);
  EXPECT_EQ(parsed.error().what.find("reading the run record averages/run: "), 0u);
  EXPECT_NE(parsed.error().what.find(mention), std::string::npos) << parsed.error().what;
}

TEST(RunText, IsReadableAndComesBack) {
  EXPECT_EQ(run_text(sample()), with_checksum(kSampleText));
  EXPECT_EQ(*parse_run_text(run_text(sample()), "x"), sample());
  const RunRecord first{.job = sample().job, .epoch = {1}};
  EXPECT_EQ(*parse_run_text(run_text(first), "x"), first);
}

TEST(RunText, TellsOfTheRunThatThisOneIsToReplace) {
  auto record = sample();
  record.earlier = EarlierRun{.job = record.job,
                              .ids_reserved = {16},
                              .newest = Pointer{{9}, "018a/chk-9/_metadata"},
                              .retained = {{{8}, "018a/chk-8/_metadata"}},
                              .result = RunResult{{7}, "read"}};
  std::string text = kSampleText;
  text.insert(text.find("rest="),
              "earlier-job-id=018bcfe5680073018000000000004567\n"
              "earlier-ids-reserved=16\n"
              "earlier-newest=9 018a/chk-9/_metadata\n"
              "earlier-retained=8 018a/chk-8/_metadata\n"
              "earlier-finished=7 read\n");
  EXPECT_EQ(run_text(record), with_checksum(text));
  EXPECT_EQ(*parse_run_text(run_text(record), "x"), record);
  record.earlier = EarlierRun{.job = record.job};
  EXPECT_EQ(*parse_run_text(run_text(record), "x"), record);
}

// The example of docs/formats/run.md, checksum and all.
TEST(RunText, ReadsTheExampleOfItsPage) {
  const auto parsed = parse_run_text(
      "weir-run 1\n"
      "job-id=018bcfe5680073018000000000004567\n"
      "epoch=3\n"
      "ids-reserved=32\n"
      "newest=18 018bcfe5680073018000000000004567/chk-18/_metadata\n"
      "retained=17 018bcfe5680073018000000000004567/chk-17/_metadata\n"
      "rest=127.0.0.1:8081\n"
      "checksum=dbf494378f66fe39\n",
      "x");
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->newest->id, CheckpointId{18});
  EXPECT_EQ(parsed->retained.size(), 1u);
}

TEST(RunText, EveryFlippedBitAndEveryTruncationIsNoticed) {
  const auto text = run_text(sample());
  for (std::size_t at = 0; at != text.size(); ++at) {
    for (unsigned bit = 0; bit != 8; ++bit) {
      auto damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_EQ(parse_run_text(damaged, "x").error().code, Code::kCorrupt) << at;
    }
    EXPECT_EQ(parse_run_text(text.substr(0, at), "x").error().code, Code::kCorrupt) << at;
  }
  EXPECT_FALSE(parse_run_text(text + "\n", "x"));
}

TEST(RunText, AnotherVersionIsNamed) {
  expect_corrupt(with_checksum("weir-run 2\nepoch=1\n"), "'weir-run 2' is another version");
  expect_corrupt("", "does not begin with 'weir-run'");
  expect_corrupt("weir-run 1\n", "ends early");
}

TEST(RunText, WhatMakesNoSenseIsNamedUnderARightChecksumToo) {
  const auto replaced = [](const std::string& from, const std::string& to) {
    std::string text = kSampleText;
    return with_checksum(text.replace(text.find(from), from.size(), to));
  };
  expect_corrupt(replaced("epoch=3", "epoch=-3"), "'epoch=-3' makes no sense");
  expect_corrupt(replaced("epoch=3", "epoch=99999999999999999999"), "makes no sense");
  expect_corrupt(replaced("epoch=3", "epoch"), "'epoch' makes no sense");
  expect_corrupt(replaced("epoch=3", "era=3"), "'era=3' makes no sense");
  expect_corrupt(replaced("job-id=0", "job-id=x"), "makes no sense");
  expect_corrupt(replaced("newest=18 ", "newest=18"), "makes no sense");
  expect_corrupt(replaced("%25", "%2"), "makes no sense");
  expect_corrupt(replaced("epoch=3\n", "epoch=03\n"), "missing, doubled or out of order");
  expect_corrupt(replaced("epoch=3\n", ""), "missing, doubled or out of order");
  expect_corrupt(replaced("epoch=3\n", "epoch=3\nepoch=3\n"), "missing, doubled or out of order");
  expect_corrupt(replaced("8081\n", "8081"), "missing, doubled or out of order");
}

}  // namespace
}  // namespace weir::ha
