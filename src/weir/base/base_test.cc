#include <array>
#include <limits>
#include <new>
#include <stdexcept>

#include "tests/support/kept_log.h"
#include "weir/base/bytes.h"
#include "weir/base/checksum.h"
#include "weir/base/error_exception.h"
#include "weir/base/id.h"
#include "weir/base/log.h"
#include "weir/base/mutex.h"
#include "weir/base/random.h"
#include "weir/base/result.h"
#include "weir/base/time.h"

namespace weir {
namespace {

Result<int> half(int n) {
  if (n % 2) return Error{Code::kInvalid, "halving " + std::to_string(n)};
  return n / 2;
}
Result<int> quarter(int n) {
  WEIR_ASSIGN(const int once, half(n));
  return half(once);
}

TEST(Result, AssignPassesTheErrorUp) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().what, "halving 3");
}

TEST(Result, DuringPutsTheAttemptInFront) {
  EXPECT_EQ((Error{Code::kCorrupt, "checksum differs"}.during("reading a").to_string()),
            "corrupt: reading a: checksum differs");
}

TEST(ResultDeathTest, TakingTheValueOfAnErrorIsOurBug) {
  EXPECT_DEATH((void)*half(3), "halving 3");
}

TEST(Guarded, MakesAnErrorOfWhateverIsThrown) {
  EXPECT_EQ(guarded([] { return ok(); }), ok());
  EXPECT_EQ(*guarded([] { return half(4); }), 2);
  const auto error_of = [](auto thrown) {
    return guarded([&]() -> Result<int> { throw thrown; }).error().to_string();
  };
  EXPECT_EQ(error_of(ErrorException({Code::kCorrupt, "reading a"})), "corrupt: reading a");
  EXPECT_EQ(error_of(std::runtime_error("no door")), "failed: the user's function threw: no door");
  const auto refused = error_of(std::bad_alloc());
  EXPECT_TRUE(refused.starts_with("exhausted: the system refused memory")) << refused;
  EXPECT_TRUE(error_of(std::bad_array_new_length()).starts_with("failed: the user's function"));
  EXPECT_EQ(error_of(5), "failed: the user's function threw something that is no std::exception");
}

TEST(CaughtError, IsThereEvenWhereItsWordsCannotBePutTogether) {
  const char name = 'x';
  const std::string_view longer_than_any_string(&name, std::string::npos);
  try {
    throw std::runtime_error("no door");
  } catch (...) {
    EXPECT_EQ(caught_error(longer_than_any_string), (Error{Code::kExhausted, "no memory left"}));
  }
}

// The reference implementation's published vector and Guava's, computed apart from this code.
TEST(OperatorIdOf, AgreesWithMurmur3) {
  EXPECT_EQ(operator_id_of("").to_hex(), "00000000000000000000000000000000");
  EXPECT_EQ(operator_id_of("hello").to_hex(), "029bbd41b3a7d8cb191dae486a901e5b");
  EXPECT_EQ(operator_id_of("The quick brown fox jumps over the lazy dog").to_hex(),
            "6c1b07bc7bbc4be347939ac4a93c437a");
}

TEST(WideId, ReadsWhatItWroteAndRefusesTheRest) {
  const auto id = make_job_id(1'700'000'000'000, 0x123, 0x4567);
  EXPECT_EQ(*JobId::from_hex(id.to_hex()), id);
  EXPECT_EQ(id.to_hex().substr(0, 13), "018bcfe568007");
  EXPECT_FALSE(JobId::from_hex("12"));
  EXPECT_FALSE(JobId::from_hex(std::string(32, 'g')));
}

TEST(Bytes, NumbersAndTextsComeBack) {
  Bytes buffer;
  ByteWriter writer(buffer);
  writer.number<std::int32_t>(-2);
  writer.number(1.5);
  writer.leb128(300);
  writer.text("abc");
  EXPECT_EQ(buffer.size(), 4u + 8 + 2 + 1 + 3);
  ByteReader reader(buffer);
  EXPECT_EQ(reader.number<std::int32_t>(), -2);
  EXPECT_EQ(reader.number<double>(), 1.5);
  EXPECT_EQ(reader.leb128(), 300u);
  EXPECT_EQ(reader.text(), "abc");
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0u);
}

TEST(Bytes, Leb128HoldsEveryWidth) {
  for (unsigned bit = 0; bit != 64; ++bit) {
    for (const std::uint64_t value : {1ULL << bit, (1ULL << bit) - 1, ~0ULL >> bit}) {
      Bytes buffer;
      ByteWriter(buffer).leb128(value);
      ByteReader reader(buffer);
      EXPECT_EQ(reader.leb128(), value);
      EXPECT_TRUE(reader.ok());
    }
  }
}

TEST(Bytes, AReadBeyondTheEndFailsForGood) {
  const std::array<std::byte, 3> three{};
  ByteReader reader(three);
  EXPECT_EQ(reader.number<std::uint32_t>(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.number<std::uint8_t>(), 0u);
  EXPECT_FALSE(reader.ok());
}

TEST(Bytes, HostileLengthsFailWithoutReading) {
  Bytes huge;
  ByteWriter(huge).leb128(std::numeric_limits<std::uint64_t>::max());
  ByteReader reader(huge);
  EXPECT_EQ(reader.text(), "");
  EXPECT_FALSE(reader.ok());

  const Bytes endless(11, std::byte{0xff});
  ByteReader overlong(endless);
  overlong.leb128();
  EXPECT_FALSE(overlong.ok());
}

TEST(Bytes, OnlyTheShortestLeb128AndTheTwoBoolsAreAccepted) {
  for (const std::uint64_t value : {0ULL, 1ULL, 127ULL, 128ULL, 300ULL, ~0ULL}) {
    Bytes buffer;
    ByteWriter(buffer).leb128(value);
    EXPECT_EQ(buffer.size(), leb128_size(value));
    buffer.back() |= std::byte{0x80};
    buffer.push_back(std::byte{0});
    ByteReader overlong(buffer);
    overlong.leb128();
    EXPECT_FALSE(overlong.ok()) << value;
  }
  const std::array two{std::byte{2}};
  ByteReader flag(two);
  EXPECT_FALSE(flag.number<bool>());
  EXPECT_FALSE(flag.ok());
}

TEST(Bytes, ManyNumbersAreOneCopyAndAllOrNothing) {
  Bytes buffer;
  const std::array<std::int16_t, 3> numbers{1, -2, 3};
  ByteWriter(buffer).numbers(std::span<const std::int16_t>(numbers));
  std::array<std::int16_t, 3> back{};
  ByteReader reader(buffer);
  EXPECT_TRUE(reader.numbers(std::span<std::int16_t>(back)));
  EXPECT_EQ(back, numbers);
  std::array<std::int16_t, 4> more{};
  ByteReader again(buffer);
  EXPECT_FALSE(again.numbers(std::span<std::int16_t>(more)));
  EXPECT_EQ(more[0], 0);
}

TEST(Bytes, TheEndOfReadingSaysWhatWasWrongFirstAndWhere) {
  const std::array<std::byte, 3> bytes{std::byte{0}, std::byte{9}, std::byte{0}};
  ByteReader reader(bytes);
  reader.number<std::uint8_t>();
  EXPECT_EQ(reader.finish("reading a ", "thing").error().what,
            "reading a thing: bytes are left over after the value's end at byte 1 of 3");
  reader.number<bool>();
  reader.number<std::uint64_t>();
  EXPECT_EQ(reader.finish("reading it").error().to_string(),
            "corrupt: reading it: a flag is neither 0 nor 1, at byte 1 of 3");
  EXPECT_TRUE(ByteReader(ByteView()).finish("reading nothing"));
}

TEST(Bytes, NestingIsLimited) {
  ByteReader reader({});
  EXPECT_TRUE(reader.descend(2));
  EXPECT_TRUE(reader.descend(2));
  reader.ascend();
  EXPECT_TRUE(reader.descend(2));
  EXPECT_FALSE(reader.descend(2));
  EXPECT_FALSE(reader.ok());
}

TEST(Checksum, PiecesGiveTheChecksumOfTheWhole) {
  // XXH3_64bits("") as published by the library's authors.
  EXPECT_EQ(checksum({}), 0x2d06800538d394c2ULL);
  const auto text = bytes_of("a barrier is a promise about what came before it");
  RunningChecksum running;
  running.add(text.subspan(0, 7));
  running.add(text.subspan(7));
  EXPECT_EQ(running.value(), checksum(text));
}

TEST(Random, IsTheSameEverywhereAndStaysInItsBounds) {
  Random random(0);
  EXPECT_EQ(random.next(),
            0xe220a8397b1dcdafULL);  // splitmix64's published first output for seed 0
  for (int i = 0; i != 1000; ++i) {
    EXPECT_LT(random.below(7), 7u);
    const auto n = random.between(-3, 3);
    EXPECT_GE(n, -3);
    EXPECT_LE(n, 3);
  }
  EXPECT_FALSE(random.one_in(0));
}

TEST(Log, AnEventIsANameAndFields) {
  test::KeptLog kept(log::Level::kInfo);
  log::Event(log::Level::kInfo, "CheckpointDeclined")
      .field("checkpoint", 17)
      .field("reason", "too \"late\"");
  log::Event(log::Level::kDebug, "Unwanted").field("n", 1);
  const auto lines = kept.take();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "CheckpointDeclined checkpoint=17 reason=\"too \\\"late\\\"\"");
}

TEST(Mutex, CountsHowOftenItWasTaken) {
  Mutex mutex;
  const auto before = Mutex::times_taken();
  { MutexLock lock(mutex); }
  EXPECT_EQ(Mutex::times_taken(), before + 1);
}

}  // namespace
}  // namespace weir
