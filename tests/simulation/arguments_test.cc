#include "tests/simulation/arguments.h"

namespace weir::simulation {
namespace {

using Command = Arguments::Command;

Result<Arguments> parse(std::vector<std::string_view> words) { return parse_arguments(words); }

std::string refusal(std::vector<std::string_view> words) {
  const auto arguments = parse(std::move(words));
  return arguments ? std::string("taken") : arguments.error().what;
}

TEST(Arguments, EveryCommandWithWhatItTakes) {
  const auto run = parse({"run", "18446744073709551615", "--trace"});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->command, Command::kRun);
  EXPECT_EQ(run->seed, UINT64_MAX);
  EXPECT_TRUE(run->with_trace);

  const auto swarm = parse({"swarm", "20", "--from", "7", "--mutant", kMutants[1].second});
  ASSERT_TRUE(swarm);
  EXPECT_EQ(swarm->command, Command::kSwarm);
  EXPECT_EQ(swarm->count, 20u);
  EXPECT_EQ(swarm->from, 7u);
  EXPECT_EQ(swarm->mutant, kMutants[1].first);

  const auto seeds = parse({"seeds", "--hashes"});
  ASSERT_TRUE(seeds);
  EXPECT_EQ(seeds->command, Command::kSeeds);
  EXPECT_TRUE(seeds->only_hashes);

  EXPECT_EQ(parse({"crashes"})->command, Command::kCrashes);
  EXPECT_EQ(parse({"mutants"})->command, Command::kMutants);
}

TEST(Arguments, ANumberThatIsNoneIsNoZero) {
  EXPECT_EQ(refusal({"swarm", "abc"}), "N is a number, got 'abc'");
  EXPECT_EQ(refusal({"swarm", "20x"}), "N is a number, got '20x'");
  EXPECT_EQ(refusal({"run", "-1"}), "SEED is a number, got '-1'");
  EXPECT_EQ(refusal({"run", ""}), "SEED is a number, got ''");
  EXPECT_EQ(refusal({"run", "18446744073709551616"}),
            "SEED is a number, got '18446744073709551616'");
  EXPECT_EQ(refusal({"swarm", "5", "--from", "first"}),
            "the seed behind --from is a number, got 'first'");
}

TEST(Arguments, ASwarmOfNoSeedsIsRefused) {
  EXPECT_EQ(refusal({"swarm", "0"}), "N is at least 1: a swarm of no seeds shows nothing");
  EXPECT_EQ(refusal({"swarm", "2", "--from", "18446744073709551615"}),
            "there are not so many seeds");
}

TEST(Arguments, WhatIsMissingIsNamed) {
  EXPECT_EQ(refusal({}), "the command is missing");
  EXPECT_EQ(refusal({"run"}), "SEED is missing");
  EXPECT_EQ(refusal({"swarm", "5", "--from"}), "the seed behind --from is missing");
  EXPECT_EQ(refusal({"swarm", "5", "--mutant"}), "the name behind --mutant is missing");
}

TEST(Arguments, WhatNobodyAskedForIsRefused) {
  EXPECT_EQ(refusal({"seed"}), "there is no command 'seed'");
  EXPECT_EQ(refusal({"seeds", "--x"}), "this command takes no '--x'");
  EXPECT_EQ(refusal({"seeds", "--trace"}), "this command takes no '--trace'");
  EXPECT_EQ(refusal({"crashes", "3"}), "this command takes no '3'");
  EXPECT_EQ(refusal({"run", "3", "--from", "1"}), "this command takes no '--from'");
  EXPECT_EQ(refusal({"swarm", "3", "--mutant", "no-such"}).substr(0, 44),
            "there is no mutant 'no-such'; there are: rec");
}

}  // namespace
}  // namespace weir::simulation
