#include <map>

#include "weir/environment/files_test.h"

namespace weir {
namespace {

using namespace std::chrono_literals;
using Kind = JobResult::Kind;

// What is larger than a named limit allows: an error that says which and what to do, after which the
// same command goes on where it was once the limit is raised.
class LimitsTest : public FilesTest {
 protected:
  static std::vector<std::string> once(std::vector<std::string> more) {
    more.emplace_back("--restart-strategy");
    more.emplace_back("none");
    return more;
  }
};

TEST_F(LimitsTest, StateOverItsLimitEndsTheJobAndARaisedOneGoesOn) {
  Lines want;
  for (const auto& line : write_input(1, 100'000)) want.insert(line + "\t1");
  using Count = Keyed<std::string, std::uint64_t>;
  const auto run = [&](const std::string& limit, bool suspend = false) {
    Environment env(arguments(once({"-Dstate.heap_bytes_max=" + limit})));
    env.enable_checkpointing(10ms);
    if (suspend)
      env.on_running([this](Environment::Control control) {
        trigger_until(control, [this, control] {
          if (visible().size() < 10'000) return false;
          control.suspend();
          return true;
        });
      });
    const std::uint64_t rate = suspend ? 400'000 : 0;
    env.from_source(file_lines(in(), {.chunk_bytes = 4096, .max_bytes_per_second = rate}))
        .map([](const Text& line) { return line.str(); })
        .key_by([](const std::string& line) { return line; })
        .count()
        .sink_to(text_files<Count>(out(), [](const Count& count, std::string& line) {
          line = count.key;
          line += "\t" + std::to_string(count.value);
        }));
    return env.execute("counts");
  };
  ASSERT_EQ(run("1gb", true).kind, Kind::kSuspended);
  // What the checkpoint holds is more than this limit allows.
  expect_fails(run("256kb"),
               {"opening operator count[0]", "state.heap_bytes_max of 262144", "raise it"});
  // What it holds is not, but what comes is.
  expect_fails(run("4mb"), {"operator count[0]", "state.heap_bytes_max of 4194304", "raise it"});
  ASSERT_EQ(run("1gb").what, "");
  EXPECT_EQ(visible(), want);
  EXPECT_EQ(hidden(), test::kAtRest);
}

// A key whose state grows with every record.
struct Growing {
  using Output = std::uint64_t;
  struct State {
    ValueState<std::string> text{"text"};
  };
  void process(const std::uint64_t&, State& state, Collector<std::uint64_t>& out) {
    out.emit(state.text.update().append(1000, 'x').size());
  }
};

TEST_F(LimitsTest, AnEntryOverItsLimitEndsTheJobAndARaisedOneGoesOn) {
  Lines want;
  for (int i = 1; i <= 2200; ++i) want.insert(std::to_string(i * 1000));
  const auto run = [&](const std::string& name, std::vector<std::string> more) {
    Environment env(arguments(once(std::move(more))));
    env.enable_checkpointing(10ms);
    env.from_source(sequence(1, 2200))
        .key_by([](const std::uint64_t&) { return 7; })
        .process(Growing{})
        .name("grow")
        .sink_to(text_files(dir_ + "/" + name));
    return env.execute(name);
  };
  expect_fails(run("entry", {"-Dstate.entry_bytes_max=1mb"}),
               {"none): operator grow[0]: state text of operator grow[0]",
                "state.entry_bytes_max is 1048576", "raise it, or keep less under one key"});
  ASSERT_EQ(run("entry", {}).what, "");
  EXPECT_EQ(visible("entry"), want);
  // Room that cannot come is not waited for.
  expect_fails(run("staging", {"-Dcheckpoint.staging_bytes_max=1mb"}),
               {"none): operator grow[0]: state text of operator grow[0]",
                "checkpoint.staging_bytes_max is 1048576", "raise it, or keep less under one key"});
  ASSERT_EQ(run("staging", {}).what, "");
  EXPECT_EQ(visible("staging"), want);
}

TEST_F(LimitsTest, OutputOfOneRecordOverTheOverflowLimitEndsTheJob) {
  constexpr std::uint64_t kMany = 1'000'000;
  const auto many = [](const std::uint64_t&, Collector<std::uint64_t>& out) {
    for (std::uint64_t n = 0; n != kMany; ++n) out.emit(n);
  };
  const auto run = [&](const std::string& limit) {
    auto collected = std::make_shared<Collected<std::uint64_t>>();
    Environment env(arguments(once({"-Dtask.overflow-bytes-max=" + limit})));
    env.enable_checkpointing(10ms);
    env.from_source(sequence(1, 1)).flat_map<std::uint64_t>(many).sink_to(collect(collected));
    return std::pair{env.execute("many " + limit), collected->values()};
  };
  expect_fails(run("1mb").first, {"operator flat_map[0]", "task.overflow-bytes-max of 1048576",
                                  "raise it, or emit less"});
  const auto [result, values] = run("64mb");
  ASSERT_EQ(result.what, "");
  std::vector<std::uint64_t> want(kMany);
  for (std::uint64_t n = 0; n != kMany; ++n) want[n] = n;
  EXPECT_TRUE(values == want);
}

// Barriers wait behind the overflow, which two keyed Subtasks take in by key.
TEST_F(LimitsTest, OverflowGoesThroughAnEdgeByKeyWithCheckpoints) {
  constexpr std::uint64_t kMany = 300'000;
  Environment env(arguments());
  env.set_parallelism(2);
  env.enable_checkpointing(10ms);
  const auto collected = std::make_shared<Collected<Keyed<std::uint64_t, std::uint64_t>>>();
  env.from_source(sequence(1, 3))
      .flat_map<std::uint64_t>([](const std::uint64_t&, Collector<std::uint64_t>& out) {
        for (std::uint64_t n = 0; n != kMany; ++n) out.emit(n);
      })
      .key_by([](const std::uint64_t& n) { return n % 1000; })
      .count()
      .filter([](const Keyed<std::uint64_t, std::uint64_t>& k) { return k.value % 300 == 0; })
      .sink_to(collect(collected));
  ASSERT_EQ(env.execute("overflow by key").what, "");
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> seen;
  for (const auto& value : collected->values()) ++seen[{value.key, value.value}];
  EXPECT_EQ(seen.size(), 3000u);
  for (const auto& [count, times] : seen) EXPECT_EQ(times, 1) << count.first << " " << count.second;
}

TEST_F(LimitsTest, ARecordOfAHundredMebibytesComesThrough) {
  constexpr std::size_t kBytes = std::size_t{100} << 20;
  Environment env(arguments());
  env.enable_checkpointing(10ms);
  env.from_source(sequence(1, 1))
      .map([](const std::uint64_t&) { return std::string(kBytes, 'x'); })
      .map([](const std::string& text) { return text; })
      .start_new_chain()
      .sink_to(text_files(out()))
      .set_parallelism(2);
  ASSERT_EQ(env.execute("large").what, "");
  const auto lines = visible();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(*lines.begin() == std::string(kBytes, 'x'));
}

TEST_F(LimitsTest, AParallelismAboveTheStatesMaxParallelismIsRefusedAndTheRunKept) {
  const auto lines = write_input(2, 10'000);
  std::map<char, int> counts;
  Lines want;
  for (const auto& line : lines)
    want.insert(std::string{line.back(), ' '} + std::to_string(++counts[line.back()]));
  using Count = Keyed<std::int64_t, std::uint64_t>;
  const auto run = [&](std::uint32_t parallelism, std::uint32_t max, std::uint64_t rate) {
    Environment env(arguments(once({})));
    env.set_parallelism(parallelism);
    env.enable_checkpointing(10ms);
    if (rate != 0)
      env.on_running([](Environment::Control control) { suspend_after(std::move(control), 2); });
    auto counted =
        env.from_source(file_lines(in(), {.chunk_bytes = 4096, .max_bytes_per_second = rate}))
            .uid("lines")
            .key_by([](const Text& line) { return std::int64_t{line.view().back()}; })
            .count()
            .uid("c");
    if (max != 0) counted = counted.set_max_parallelism(max);
    counted
        .sink_to(text_files<Count>(out(),
                                   [](const Count& count, std::string& line) {
                                     line = {static_cast<char>(count.key), ' '};
                                     line += std::to_string(count.value);
                                   }))
        .uid("out");
    return env.execute("counts");
  };
  ASSERT_EQ(run(2, 2, 100'000).kind, Kind::kSuspended);
  expect_fails(run(3, 0, 0), {"restoring operator 'count' (uid c",
                              "max parallelism of 2, which is lower than the parallelism of 3",
                              "run it with at most 2"});
  ASSERT_EQ(run(2, 0, 0).what, "");
  EXPECT_EQ(visible(), want);
}

}  // namespace
}  // namespace weir
