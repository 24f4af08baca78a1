#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/memory_files.h"
#include "tests/support/step_env.h"
#include "weir/base/random.h"
#include "weir/connectors/api/source.h"
#include "weir/state/api/operator_list_state.h"

// What every bounded Source owes. A plugin says
//
//   INSTANTIATE_TEST_SUITE_P(Sequence, SourceContract, testing::Values(make_world));
namespace weir::connectors {

// What a checkpoint holds of a source: the enumerator's elements, and each reader's.
struct SourceCheckpoint {
  std::vector<Bytes> enumerator;
  std::vector<state::OperatorListState> readers;
};

// One attempt of a source, record by record: its enumerator, its readers, and who reads when.
//
//   Shape   readers 0 .. parallelism-1; records as lines
//   Errors  what the source refuses fails the test, but for try_split()
class SourceAttempt {
 public:
  using Lines = std::multiset<std::string>;

  virtual ~SourceAttempt() = default;
  // One call of the reader, with room for so many records; false once everything has been read by all.
  virtual bool read(std::uint32_t reader, std::uint32_t room) = 0;
  virtual SourceCheckpoint snapshot() = 0;
  virtual Status add_split(std::uint32_t reader, ByteView split) = 0;
  virtual void halt(std::uint32_t reader) = 0;
  // The reader's next call puts out nothing and waits.
  virtual bool is_waiting(std::uint32_t reader) = 0;
  // Of all readers together, and what nobody has been given.
  virtual std::uint64_t done() const = 0;
  virtual std::uint64_t total() const = 0;
  virtual const Lines& lines() const = 0;
};

// A source over an input that stays as it is, with the machine that it reads from.
class SourceWorld {
 public:
  virtual ~SourceWorld() = default;
  // Every record by a naive twin.
  virtual SourceAttempt::Lines expected() const = 0;
  virtual std::unique_ptr<SourceAttempt> begin(std::uint32_t parallelism,
                                               const SourceCheckpoint* from) = 0;
  // What the enumerator says to state that is not its own.
  virtual Status open_enumerator(const std::vector<Bytes>& state) = 0;
};

// Plays any Source<T>; `say` makes a line of a record.
template <class T>
class PlayedSource final : public SourceAttempt {
 public:
  using Say = std::function<std::string(const T&)>;

  PlayedSource(const Source<T>& source, test::StepEnv& world, Say say, std::uint32_t parallelism,
               const SourceCheckpoint* from)
      : world_(world), say_(std::move(say)), enumerator_(source.make_enumerator()) {
    enumerator_context_ = context("splits", 0, 1);
    enumerator_context_.reader_parallelism = parallelism;
    EXPECT_TRUE(enumerator_->open(enumerator_context_,
                                  from ? std::optional(from->enumerator) : std::nullopt));
    for (std::uint32_t i = 0; i != parallelism; ++i) {
      readers_.push_back(std::make_unique<Reader>());
      auto& reader = *readers_.back();
      reader.context = context("reader", i, parallelism);
      reader.source = source.make_reader();
      EXPECT_TRUE(reader.source->open(reader.context));
      if (!from) continue;
      const auto share = state::share_of(from->readers, i, parallelism);
      for (const auto& split : share.elements(kSplits))
        EXPECT_TRUE(reader.source->add_split(split));
    }
  }
  ~PlayedSource() override {
    world_.settle();  // As a Subtask waits for what is under way.
    for (const auto& reader : readers_) EXPECT_TRUE(reader->source->is_quiet());
  }

  bool read(std::uint32_t i, std::uint32_t room) override {
    auto& reader = *readers_[i];
    switch (read_into(reader, room)) {
      case ReadState::kMore:
        break;
      case ReadState::kWaits:
        EXPECT_FALSE(reader.source->is_quiet()) << "it waits for nothing";
        if (!world_.run_io()) std::ignore = world_.run_letter();
        break;
      case ReadState::kNeedsSplit:
        give_split(i);
        break;
    }
    for (const auto& other : readers_)
      if (!other->is_at_end) return true;
    return false;
  }
  SourceCheckpoint snapshot() override {
    SourceCheckpoint checkpoint;
    checkpoint.enumerator = enumerator_->snapshot();
    for (const auto& reader : readers_) {
      auto& lists = checkpoint.readers.emplace_back();
      for (auto& split : reader->source->snapshot()) lists.add(kSplits, std::move(split));
    }
    return checkpoint;
  }
  Status add_split(std::uint32_t i, ByteView split) override {
    return readers_[i]->source->add_split(split);
  }
  void halt(std::uint32_t i) override { readers_[i]->source->halt(); }
  bool is_waiting(std::uint32_t i) override {
    const auto before = lines_.size();
    return read_into(*readers_[i], 8) == ReadState::kWaits && lines_.size() == before;
  }
  std::uint64_t done() const override {
    std::uint64_t sum = 0;
    for (const auto& reader : readers_) sum += reader->source->progress().done;
    return sum;
  }
  std::uint64_t total() const override {
    auto sum = enumerator_->unassigned();
    for (const auto& reader : readers_) sum += reader->source->progress().total;
    return sum;
  }
  const Lines& lines() const override { return lines_; }

 private:
  static constexpr char kSplits[] = "splits";
  struct Reader {
    SourceContext context;
    std::unique_ptr<SourceReader<T>> source;
    bool is_at_end = false;
  };

  SourceContext context(const std::string& name, std::uint32_t subtask, std::uint32_t parallelism) {
    return {.name = name + "[" + std::to_string(subtask) + "]",
            .subtask = {subtask},
            .parallelism = parallelism,
            .reader_parallelism = parallelism,
            .env = &world_.env(),
            .post = world_.post()};
  }
  ReadState read_into(Reader& reader, std::uint32_t room) {
    stream::RecordBatch<T> batch({}, room);
    const auto state = reader.source->read(batch);
    for (std::uint32_t i = 0; i != batch.size(); ++i) lines_.insert(say_(batch[i]));
    EXPECT_TRUE(state) << (state ? "" : state.error().what);
    return state ? *state : ReadState::kNeedsSplit;
  }
  void give_split(std::uint32_t i) {
    auto split = enumerator_->next_split({i});
    EXPECT_TRUE(split || enumerator_->is_exhausted());
    if (!split) {
      readers_[i]->is_at_end = true;
    } else {
      EXPECT_TRUE(readers_[i]->source->add_split(*split));
    }
  }

  test::StepEnv& world_;
  const Say say_;
  const std::unique_ptr<SplitEnumerator> enumerator_;
  SourceContext enumerator_context_;
  std::vector<std::unique_ptr<Reader>> readers_;
  Lines lines_;
};

// The world of a Source<T> that reads a disk in memory, or nothing.
template <class T>
class PlayedSourceWorld final : public SourceWorld {
 public:
  using Lines = SourceAttempt::Lines;
  PlayedSourceWorld(std::shared_ptr<const Source<T>> source, typename PlayedSource<T>::Say say,
                    Lines expected)
      : source_(std::move(source)), say_(std::move(say)), expected_(std::move(expected)) {}

  test::MemoryFiles& disk() { return disk_; }

  Lines expected() const override { return expected_; }
  std::unique_ptr<SourceAttempt> begin(std::uint32_t parallelism,
                                       const SourceCheckpoint* from) override {
    return std::make_unique<PlayedSource<T>>(*source_, env_, say_, parallelism, from);
  }
  Status open_enumerator(const std::vector<Bytes>& state) override {
    SourceContext context{.name = "splits[0]", .env = &env_.env(), .post = env_.post()};
    return source_->make_enumerator()->open(context, state);
  }

 private:
  const std::shared_ptr<const Source<T>> source_;
  const typename PlayedSource<T>::Say say_;
  const Lines expected_;
  test::MemoryFiles disk_;
  test::StepEnv env_{disk_};
};

class SourceContract
    : public testing::TestWithParam<std::function<std::unique_ptr<SourceWorld>()>> {
 protected:
  using Lines = SourceAttempt::Lines;

  // Calls readers in any order until so many records have come, or all.
  static void read(SourceAttempt& attempt, std::uint32_t parallelism, Random& random,
                   std::size_t records = ~std::size_t{0}) {
    while (attempt.lines().size() < records) {
      const auto missing = records - attempt.lines().size();
      const auto room = std::min<std::size_t>(missing, 1 + random.below(4));
      const auto reader = static_cast<std::uint32_t>(random.below(parallelism));
      if (!attempt.read(reader, static_cast<std::uint32_t>(room))) return;
    }
  }
  static Lines together(Lines lines, const Lines& more) {
    lines.insert(more.begin(), more.end());
    return lines;
  }
  SourceWorld& world() { return *world_; }

 private:
  const std::unique_ptr<SourceWorld> world_ = GetParam()();
};

TEST_P(SourceContract, ReadsWhatANaiveReaderReadsAtAnyParallelism) {
  ASSERT_GT(world().expected().size(), 8u) << "an input too small to show anything";
  for (std::uint32_t parallelism = 1; parallelism <= 4; ++parallelism) {
    Random random(parallelism);
    const auto attempt = world().begin(parallelism, nullptr);
    EXPECT_EQ(attempt->done(), 0u);
    const auto total = attempt->total();
    EXPECT_GT(total, 0u);
    read(*attempt, parallelism, random);
    EXPECT_EQ(attempt->lines(), world().expected()) << "with " << parallelism << " readers";
    EXPECT_EQ(attempt->done(), total);
    EXPECT_EQ(attempt->total(), total);
  }
}

TEST_P(SourceContract, ASnapshotAnywhereGoesOnAtAnyParallelism) {
  const auto expected = world().expected();
  for (std::size_t cut = 0; cut <= expected.size(); ++cut) {
    for (std::uint32_t before = 1; before <= 3; ++before) {
      for (std::uint32_t after = 1; after <= 3; ++after) {
        Random random(cut * 100 + std::size_t{before} * 10 + after);
        const auto first = world().begin(before, nullptr);
        read(*first, before, random, cut);
        const auto checkpoint = first->snapshot();
        const auto lines = first->lines();
        read(*first, before, random, cut + random.below(4));  // What comes later is read again.
        const auto second = world().begin(after, &checkpoint);
        read(*second, after, random);
        ASSERT_EQ(together(lines, second->lines()), expected)
            << "a snapshot behind " << cut << " records, from " << before << " to " << after;
      }
    }
  }
}

TEST_P(SourceContract, NothingIsLostOrDoubledThroughAChainOfSnapshots) {
  const auto expected = world().expected();
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    Lines lines;
    std::optional<SourceCheckpoint> checkpoint;
    while (lines.size() < expected.size()) {
      const auto parallelism = static_cast<std::uint32_t>(random.between(1, 4));
      const auto attempt = world().begin(parallelism, checkpoint ? &*checkpoint : nullptr);
      // Some are asked for a snapshot before they have read anything.
      read(*attempt, parallelism, random, random.one_in(4) ? 0 : random.below(expected.size() / 2));
      checkpoint = attempt->snapshot();
      lines = together(std::move(lines), attempt->lines());
      ASSERT_LE(lines.size(), expected.size()) << "seed " << seed;
    }
    ASSERT_EQ(lines, expected) << "seed " << seed;
    const auto last = world().begin(2, &*checkpoint);
    read(*last, 2, random);
    EXPECT_TRUE(last->lines().empty()) << "seed " << seed;
  }
}

TEST_P(SourceContract, TwoSnapshotsWithNothingReadBetweenThemAreTheSame) {
  Random random(7);
  const auto attempt = world().begin(2, nullptr);
  read(*attempt, 2, random, world().expected().size() / 2);
  const auto one = attempt->snapshot();
  const auto other = attempt->snapshot();
  EXPECT_EQ(one.enumerator, other.enumerator);
  EXPECT_EQ(one.readers, other.readers);
}

TEST_P(SourceContract, AHaltedReaderReadsNothingMoreAndKeepsItsPlace) {
  const auto expected = world().expected();
  Random random(3);
  auto attempt = world().begin(1, nullptr);
  read(*attempt, 1, random, 3);
  const auto before = attempt->snapshot();
  attempt->halt(0);
  for (int i = 0; i != 10; ++i) EXPECT_TRUE(attempt->is_waiting(0));
  const auto checkpoint = attempt->snapshot();
  EXPECT_EQ(checkpoint.readers, before.readers);
  const auto lines = attempt->lines();
  EXPECT_EQ(lines.size(), 3u);
  const auto other = world().begin(2, &checkpoint);
  read(*other, 2, random);
  EXPECT_EQ(together(lines, other->lines()), expected);
}

TEST_P(SourceContract, BytesThatAreNoSplitAreRefused) {
  const auto attempt = world().begin(1, nullptr);
  for (const std::string_view bytes : {"", "\x80", "no split at all, and rather long besides"}) {
    const auto added = attempt->add_split(0, bytes_of(bytes));
    ASSERT_FALSE(added) << bytes;
    EXPECT_EQ(added.error().code, Code::kCorrupt) << added.error().what;
    const auto view = bytes_of(bytes);
    const auto opened = world().open_enumerator({Bytes(view.begin(), view.end())});
    ASSERT_FALSE(opened) << bytes;
    EXPECT_EQ(opened.error().code, Code::kCorrupt) << opened.error().what;
  }
}

}  // namespace weir::connectors
