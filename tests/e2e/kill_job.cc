// The job of kill.sh: endless, with a few hundred megabytes of state that tell when they are wrong.
//
//   kill_job --output DIRECTORY [--keys N] [--finish]
//
// It counts numbers that come in rounds: in each every key comes once, in an order that jumps about in the
// table. Of every 1024th key each new count is told, "count KEY COUNT": lines whose exactness can be checked
// while the output stays small. With --finish the source ends at the next end of a round; then every key must
// have the same count, and all are told: "end KEY COUNT".

#include <stdexcept>

#include "weir/connectors/sequence/sequence_source.h"
#include "weir/environment/weir.h"

namespace {

using weir::connectors::SequenceSplit;

constexpr std::uint64_t kSplitsPerRound = 32;
constexpr std::uint64_t kTellEvery = 1024;

// Gives away an endless row of splits, or one that ends with a round.
class RoundEnumerator final : public weir::connectors::SplitEnumerator {
 public:
  RoundEnumerator(std::uint64_t keys, bool finish) : keys_(keys), finish_(finish) {}

  weir::Status open(weir::connectors::SourceContext&,
                    const std::optional<std::vector<weir::Bytes>>& state) override {
    if (!state) return weir::ok();
    for (const auto& element : *state) {
      WEIR_ASSIGN(next_, weir::deserialize<std::uint64_t>(element));
    }
    return weir::ok();
  }
  std::optional<weir::Bytes> next_split(weir::SubtaskIndex) override {
    if (is_exhausted()) return std::nullopt;
    const auto length = keys_ / kSplitsPerRound;
    const auto first = next_++ * length;
    return weir::serialize(SequenceSplit{.first = first, .next = first, .end = first + length});
  }
  bool is_exhausted() const override { return finish_ && next_ % kSplitsPerRound == 0; }
  std::vector<weir::Bytes> snapshot() override { return {weir::serialize(next_)}; }
  weir::Schema state_schema() const override { return weir::schema_of<std::uint64_t>(); }

 private:
  const std::uint64_t keys_;
  const bool finish_;
  std::uint64_t next_ = 0;
};

// The key of a number: multiplied by a prime that does not divide `keys`, so that each comes once a round.
struct KeyOfNumber {
  std::uint64_t keys;
  std::uint64_t operator()(std::uint64_t number) const { return number % keys * 1'000'003 % keys; }
};

class RoundSource final : public weir::connectors::Source<std::uint64_t> {
 public:
  RoundSource(std::uint64_t keys, bool finish) : keys_(keys), finish_(finish) {}

  std::unique_ptr<weir::connectors::SplitEnumerator> make_enumerator() const override {
    return std::make_unique<RoundEnumerator>(keys_, finish_);
  }
  std::unique_ptr<weir::connectors::SourceReader<std::uint64_t>> make_reader() const override {
    using Reader = weir::connectors::SequenceReader<std::uint64_t, KeyOfNumber>;
    return std::make_unique<Reader>(KeyOfNumber{keys_});
  }
  std::string name() const override { return "rounds"; }

 private:
  const std::uint64_t keys_;
  const bool finish_;
};

// A count, and five numbers that follow from it and its key.
struct Sealed {
  std::uint64_t count = 0;
  std::uint64_t key = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  std::uint64_t d = 0;
  std::uint64_t e = 0;
};

Sealed seal(std::uint64_t key, std::uint64_t count) {
  const auto seed = key * 0x9e3779b97f4a7c15ULL ^ count;
  return {.count = count,
          .key = key,
          .a = seed * 0xbf58476d1ce4e5b9ULL,
          .b = seed * 0x94d049bb133111ebULL,
          .c = seed + 1,
          .d = ~seed,
          .e = seed << 7 ^ seed >> 9};
}

void check(std::uint64_t key, const Sealed& sealed) {
  const auto want = seal(key, sealed.count);
  if (sealed.key == want.key && sealed.a == want.a && sealed.b == want.b && sealed.c == want.c &&
      sealed.d == want.d && sealed.e == want.e)
    return;
  throw std::runtime_error("the state of key " + std::to_string(key) + " is not what was written");
}

struct Told {
  bool is_end = false;
  std::uint64_t key = 0;
  std::uint64_t count = 0;
};

struct CountSealed {
  using Output = Told;
  struct State {
    weir::ValueState<Sealed> sealed{"sealed"};
  };

  void process(const std::uint64_t& key, State& state, weir::Collector<Told>& out) {
    auto& sealed = state.sealed.update();
    if (sealed.count != 0) check(key, sealed);
    sealed = seal(key, sealed.count + 1);
    if (key % kTellEvery == 0) out.emit({false, key, sealed.count});
  }
  void on_end(const std::uint64_t& key, State& state, weir::Collector<Told>& out) {
    const auto sealed = state.sealed.get_or({});
    check(key, sealed);
    out.emit({true, key, sealed.count});
  }
};

}  // namespace

int main(int argc, char** argv) {
  auto env = weir::Environment::from_args(argc, argv);
  const auto output = env.option("output", "", "The directory for the counts.");
  const auto keys = env.option("keys", std::uint64_t{106'496} * kSplitsPerRound,
                               "How many keys; a multiple of 32, none of 1000003.");
  const auto finish = env.option("finish", false, "Ends with the round.");
  env.from_source(std::make_shared<const RoundSource>(keys, finish))
      .uid("rounds")
      .key_by([](const std::uint64_t& key) { return key; })
      .process(CountSealed{})
      .name("count")
      .uid("count")
      .sink_to(weir::text_files<Told>(output,
                                      [](const Told& told, std::string& line) {
                                        line = told.is_end ? "end " : "count ";
                                        line += std::to_string(told.key);
                                        line += ' ';
                                        line += std::to_string(told.count);
                                      }))
      .uid("out");
  return env.execute("kill");
}
