#include "weir/types/key_hash.h"

#include <xxhash.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "weir/base/random.h"

namespace weir {
namespace {

enum class Side : std::int8_t { kBuy, kSell };
struct User {
  std::uint64_t id;
};
struct Place {
  std::string name;
  std::optional<double> height;
};
struct Mixed {
  Side side;
  bool flag;
  float ratio;
  std::array<std::uint8_t, 5> tag;
};

std::uint64_t library_hash(ByteView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

double nan_with(std::uint64_t payload_and_sign) {
  return std::bit_cast<double>(0x7ff0000000000000 | payload_and_sign);
}

// Frozen: state written by one build is looked up by another. Computed with another implementation
// of XXH3 (python-xxhash 4.1) over bytes written by hand.
TEST(KeyHash, HasItsGoldenValues) {
  EXPECT_EQ(hash_key(std::tuple<>()), 0x2d06800538d394c2);
  EXPECT_EQ(hash_key(true), 0xe12ef9d2eb86ceeb);
  EXPECT_EQ(hash_key(std::int8_t{-1}), 0xd6bcec3c6b29d72e);
  EXPECT_EQ(hash_key(std::uint16_t{0x1234}), 0xb5fada9396afc87b);
  EXPECT_EQ(hash_key(std::int32_t{0}), 0x48b2c92616fc193d);
  EXPECT_EQ(hash_key(std::int32_t{-5}), 0x932d29d188c083ed);
  EXPECT_EQ(hash_key(std::int64_t{0}), 0xc77b3abb6f87acd9);
  EXPECT_EQ(hash_key(std::int64_t{1}), 0x2fbc593564db792e);
  EXPECT_EQ(hash_key(std::numeric_limits<std::uint64_t>::max()), 0x5111c7e47d784413);
  EXPECT_EQ(hash_key(1.5), 0x2561a4889ff63458);
  EXPECT_EQ(hash_key(std::numeric_limits<double>::infinity()), 0x359afb8a3a239b72);
  EXPECT_EQ(hash_key(1.5F), 0xadeb6dc039f44db0);
  EXPECT_EQ(hash_key(std::string()), 0xc44bdff4074eecdb);
  EXPECT_EQ(hash_key(std::string("a")), 0x21c8324543049a44);
  EXPECT_EQ(hash_key(std::string("the")), 0x229100e83376bf2c);
  EXPECT_EQ(hash_key(std::string("weir")), 0x208493204d12779b);
  EXPECT_EQ(hash_key(std::string("checkpoint")), 0x7d9f8ad98608467a);
  EXPECT_EQ(hash_key(std::string("fifteen letters")), 0xb3b6678310528aff);
  EXPECT_EQ(hash_key(std::string("sixteen letters!")), 0xdd1068bd00a921ed);
  EXPECT_EQ(hash_key(std::string(300, 'x')), 0xf66ed511ce6c328c);
  EXPECT_EQ(hash_key(std::string(1000, 'x')), 0xad6cc4319db48958);
  EXPECT_EQ(hash_key(std::pair<std::uint64_t, std::uint64_t>(1, 2)), 0x07ee86c281446bef);
  EXPECT_EQ(hash_key(User{7}), 0xe58edf1db21ca0b8);
  EXPECT_EQ(hash_key(std::tuple<std::uint8_t, std::uint16_t>(1, 2)), 0xd78bdc59d53b1ffc);
  EXPECT_EQ(hash_key(std::tuple<std::int32_t, std::uint64_t>(1, 2)), 0xfbb890e2ef969bde);
  EXPECT_EQ(hash_key(Place{"x", 0.0}), 0x716e76061be94f29);
}

TEST(KeyHash, ZerosAreOneKeyAndNansAreOneKey) {
  EXPECT_EQ(hash_key(0.0), 0xc77b3abb6f87acd9);
  EXPECT_EQ(hash_key(-0.0), 0xc77b3abb6f87acd9);
  EXPECT_EQ(hash_key(0.0F), 0x48b2c92616fc193d);
  EXPECT_EQ(hash_key(-0.0F), 0x48b2c92616fc193d);
  constexpr std::uint64_t kSign = 1ULL << 63;
  for (const std::uint64_t bits : {1ULL, 1ULL << 51, kSign | 1ULL << 51, kSign | 12345ULL}) {
    EXPECT_EQ(hash_key(nan_with(bits)), 0x0aa61dcfa381c167);
    EXPECT_TRUE(same_key(nan_with(bits), std::nan("")));
  }
  EXPECT_EQ(hash_key(std::numeric_limits<float>::signaling_NaN()), 0x4168a78ef3f05bd3);
  EXPECT_EQ(hash_key(-std::numeric_limits<float>::quiet_NaN()), 0x4168a78ef3f05bd3);
  EXPECT_EQ(hash_key(Place{"x", -0.0}), hash_key(Place{"x", 0.0}));
  const std::vector<double> a{-0.0, nan_with(7)};
  const std::vector<double> b{0.0, nan_with(1ULL << 51)};
  EXPECT_EQ(hash_key(a), hash_key(b));
  EXPECT_TRUE(same_key(a, b));
}

template <class Float>
void is_left_as_it_is() {
  using Limits = std::numeric_limits<Float>;
  for (const Float number : {Float{1}, Float{3} / 7, Limits::infinity(), Limits::denorm_min(),
                             Limits::min(), Limits::max()}) {
    EXPECT_EQ(key_bytes(number), serialize(number));
    EXPECT_EQ(key_bytes(-number), serialize(-number));
  }
}

TEST(KeyHash, OrdinaryNumbersAreLeftAsTheyAre) {
  is_left_as_it_is<float>();
  is_left_as_it_is<double>();
}

TEST(KeyHash, OfBytesAgreesWithTheLibraryAtEveryLength) {
  Random random(1);
  for (std::size_t size = 0; size <= 300; ++size) {
    for (int i = 0; i != 20; ++i) {
      Bytes bytes(size);
      for (auto& byte : bytes) byte = static_cast<std::byte>(random.next());
      ASSERT_EQ(hash_key_bytes(bytes), library_hash(bytes)) << size;
    }
  }
}

template <class K>
void agrees_with_the_library(const K& key) {
  const auto bytes = key_bytes(key);
  EXPECT_EQ(bytes.size(), serialized_size(key));
  EXPECT_EQ(hash_key(key), library_hash(bytes));
}

// Fixed sizes of 1 to 16 bytes take a path of their own through registers.
template <std::size_t... kSize>
void agrees_for_arrays(Random& random, std::index_sequence<kSize...>) {
  const auto try_one = [&]<std::size_t kCount>(std::array<std::uint8_t, kCount> key) {
    for (auto& byte : key) byte = static_cast<std::uint8_t>(random.next());
    agrees_with_the_library(key);
  };
  (try_one(std::array<std::uint8_t, kSize>{}), ...);
}

TEST(KeyHash, OfEveryTypeIsThatOfTheCanonicalBytes) {
  Random random(2);
  for (int i = 0; i != 200; ++i) {
    agrees_for_arrays(random, std::make_index_sequence<40>{});
    agrees_with_the_library(random.next());
    agrees_with_the_library(std::bit_cast<double>(random.next()));
    agrees_with_the_library(static_cast<std::int16_t>(random.next()));
    agrees_with_the_library(static_cast<Side>(random.below(256)));
    agrees_with_the_library(User{random.next()});
    agrees_with_the_library(std::tuple(random.one_in(2), random.next(), Side::kSell));
    agrees_with_the_library(Mixed{Side::kSell,
                                  random.one_in(2),
                                  std::bit_cast<float>(static_cast<std::uint32_t>(random.next())),
                                  {1, 2, 3, static_cast<std::uint8_t>(random.next()), 5}});
    agrees_with_the_library(std::pair(std::string(random.below(40), 'k'), random.next()));
    agrees_with_the_library(std::vector<float>(random.below(100), -0.0F));
  }
}

TEST(KeyHash, OfTextAgreesAtEveryLengthAndWithThatOfString) {
  Random random(3);
  for (std::size_t size = 0; size <= 600; ++size) {
    std::string text(size, ' ');
    for (auto& c : text) c = static_cast<char>(random.next());
    agrees_with_the_library(text);
    EXPECT_EQ(hash_key(Text(text)), hash_key(text));
  }
  EXPECT_EQ(hash_key(Text()), hash_key(std::string()));
}

TEST(KeyHash, OfManyIsThatOfEach) {
  Random random(4);
  std::vector<std::string> keys;
  for (int i = 0; i != 100; ++i) keys.emplace_back(random.below(30), 'x');
  std::vector<std::uint64_t> hashes(keys.size());
  hash_keys(std::span<const std::string>(keys), hashes.data());
  for (std::size_t i = 0; i != keys.size(); ++i) EXPECT_EQ(hashes[i], hash_key(keys[i]));
}

TEST(KeyHash, IsKnownToTheCompilerForTheWords) {
  static_assert(internal::hash_words({1, 0}, 8) == 0x2fbc593564db792e);
  static_assert(internal::hash_words({}, 0) == 0x2d06800538d394c2);
}

TEST(Key, IsWhatCanBeSerialisedInOneWayOnly) {
  static_assert(Key<std::string> && Key<Text> && Key<User> && Key<double> && Key<Place>);
  static_assert(!Key<std::map<int, int>> && !Key<std::vector<std::unordered_map<int, int>>>);
  static_assert(!Key<const char*>);
}

TEST(SameKey, ComparesTheBytes) {
  EXPECT_TRUE(same_key(User{1}, User{1}));
  EXPECT_FALSE(same_key(User{1}, User{2}));
  EXPECT_TRUE(same_key(Place{"a", 1.0}, Place{"a", 1.0}));
  EXPECT_FALSE(same_key(Place{"a", 1.0}, Place{"a", std::nullopt}));
  EXPECT_FALSE(same_key(std::string("a"), std::string("b")));
  EXPECT_TRUE(same_key(std::vector<int>(500, 1), std::vector<int>(500, 1)));
  EXPECT_FALSE(same_key(std::vector<int>(500, 1), std::vector<int>(501, 1)));
}

}  // namespace
}  // namespace weir
