#include "weir/config/option.h"

namespace weir::config {
namespace {

constexpr Option<Duration> kInterval{"execution.checkpointing.interval", "--checkpoint-interval",
                                     Duration{}, "How often a checkpoint is taken."};
constexpr Option<bool> kRestart{"weir.restart", "--restart", false, "Begins anew."};
const Option<ByteCount> kStaging{"checkpoint.staging_bytes_max", "", ByteCount{256u << 20},
                                 "Saved state in memory."};

Configuration configuration() {
  Configuration result;
  EXPECT_TRUE(result.declare(kInterval.declaration()));
  EXPECT_TRUE(result.declare(kRestart.declaration()));
  EXPECT_TRUE(result.declare(kStaging.declaration()));
  return result;
}

TEST(Configuration, AnOptionHasItsDefaultUntilItIsSet) {
  auto config = configuration();
  EXPECT_EQ(config.get(kInterval), Duration{});
  EXPECT_FALSE(config.was_set(kInterval.key));
  ASSERT_TRUE(config.parse(
      {"--checkpoint-interval", "200 ms", "-Dcheckpoint.staging_bytes_max=64mb", "--restart"}));
  EXPECT_EQ(config.get(kInterval), Duration::millis(200));
  EXPECT_EQ(config.get(kStaging).bytes, 64u << 20);
  EXPECT_TRUE(config.get(kRestart));
}

TEST(Configuration, AKeyAndItsAliasMeanTheSame) {
  auto config = configuration();
  ASSERT_TRUE(config.parse({"-Dexecution.checkpointing.interval=3s"}));
  EXPECT_EQ(config.get(kInterval), Duration::seconds(3));
  ASSERT_TRUE(config.parse({"--checkpoint-interval=1 min"}));
  EXPECT_EQ(config.get(kInterval), Duration::seconds(60));
}

TEST(Configuration, WhatIsNotDeclaredIsAnErrorThatNamesIt) {
  auto config = configuration();
  EXPECT_EQ(config.parse({"--chekpoint-interval", "1s"}).error().what,
            "unknown option '--chekpoint-interval'; --help lists the options");
  EXPECT_FALSE(config.parse({"-Dno.such.key=1"}));
  EXPECT_FALSE(config.parse({"stray"}));
  EXPECT_FALSE(config.parse({"-D--restart=true"}));
  EXPECT_EQ(config.parse({"--checkpoint-interval"}).error().what,
            "option '--checkpoint-interval': its value is missing");
}

TEST(Configuration, AValueOfTheWrongTypeSaysWhatWasWanted) {
  auto config = configuration();
  EXPECT_EQ(config.parse({"--checkpoint-interval=often"}).error().what,
            "option '--checkpoint-interval': want a duration, such as 200 ms, got 'often'");
  for (const auto* bad : {"-1s", "1 fortnight", "", "99999999999 d", "1.5s"})
    EXPECT_FALSE(config.set(kInterval.key, bad)) << bad;
}

TEST(Configuration, TwoDeclarationsOfOneKeyAreRefused) {
  auto config = configuration();
  EXPECT_FALSE(config.declare(kRestart.declaration()));
}

TEST(Values, AreWrittenAsTheyAreRead) {
  for (const auto& value :
       {Value(Duration::millis(200)), Value(Duration::seconds(120)), Value(ByteCount{0}),
        Value(ByteCount{3u << 20}), Value(std::int64_t{-7}), Value(0.25), Value(true),
        Value(std::string("a b"))}) {
    const auto text = to_string(value);
    auto back = parse_value(text, value);
    ASSERT_TRUE(back) << text;
    EXPECT_EQ(*back, value) << text;
  }
}

TEST(Configuration, HelpNamesEveryOptionOnce) {
  const auto help = configuration().help();
  EXPECT_NE(help.find("--checkpoint-interval VALUE\n      How often a checkpoint is taken. "
                      "(duration, such as 200 ms; "
                      "default: 0 ns; -Dexecution.checkpointing.interval)"),
            std::string::npos)
      << help;
  EXPECT_NE(help.find("-Dcheckpoint.staging_bytes_max=VALUE"), std::string::npos);
}

TEST(Configuration, AHiddenOptionWorksButHelpIsSilentAboutIt) {
  constexpr Option<bool> kHidden{.key = "weir.hidden",
                                 .alias = "",
                                 .default_value = false,
                                 .sentence = "For tests.",
                                 .is_hidden = true};
  auto config = configuration();
  ASSERT_TRUE(config.declare(kHidden.declaration()));
  ASSERT_TRUE(config.parse({"-Dweir.hidden=true"}));
  EXPECT_TRUE(config.get(kHidden));
  EXPECT_EQ(config.help(), configuration().help());
}

TEST(Configuration, ADefaultOfTheProgramHoldsUntilTheCommandLineSpeaksAndIsToldByHelp) {
  Configuration configuration;
  ASSERT_TRUE(configuration.declare({.key = "weir.size",
                                     .alias = "--size",
                                     .default_value = std::int64_t{1},
                                     .sentence = "How much."}));
  ASSERT_TRUE(configuration.set_default("weir.size", "7"));
  EXPECT_EQ(configuration.get<std::int64_t>("weir.size"), 7);
  EXPECT_NE(configuration.help().find("default: 7"), std::string::npos);
  ASSERT_TRUE(configuration.parse({"--size", "9"}));
  ASSERT_TRUE(configuration.set_default("weir.size", "8"));
  EXPECT_EQ(configuration.get<std::int64_t>("weir.size"), 9);
  EXPECT_FALSE(configuration.set_default("weir.size", "many"));
  EXPECT_FALSE(configuration.set_default("weir.colour", "1"));
}

TEST(Configuration, WhatNeedsAValueRefusesAnEmptyOneAndNone) {
  Configuration configuration;
  ASSERT_TRUE(configuration.declare({.key = "input",
                                     .alias = "--input",
                                     .default_value = std::string(),
                                     .sentence = "What is read.",
                                     .is_needed = true}));
  EXPECT_EQ(configuration.check_needed().error().what,
            "option '--input' is missing: What is read.");
  EXPECT_NE(configuration.help().find("What is read. (text; needed; -Dinput)"), std::string::npos)
      << configuration.help();
  for (const auto& none : {"--input=", "-Dinput=", "--input= "})
    EXPECT_EQ(configuration.parse({none}).error().what, "option '--input': its value is empty");
  ASSERT_TRUE(configuration.parse({"--input", "here"}));
  EXPECT_TRUE(configuration.check_needed());
}

}  // namespace
}  // namespace weir::config
