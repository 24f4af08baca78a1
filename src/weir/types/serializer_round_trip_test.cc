#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "weir/base/random.h"
#include "weir/types/serializer.h"

// Random values of rich types go through their bytes; the bytes are then cut short and damaged.

namespace weir {
namespace {

enum class Side : std::int8_t { kBuy, kSell };
struct Price {
  std::int64_t units = 0;
  bool firm = false;
  friend bool operator==(const Price&, const Price&) = default;
};
struct Leaf {
  std::uint8_t small = 0;
  Side side{};
  std::array<std::int16_t, 3> triple{};
  friend bool operator==(const Leaf&, const Leaf&) = default;
};
struct Order {
  std::string symbol;
  std::optional<Price> limit;
  std::vector<Leaf> leaves;
  std::vector<double> weights;
  std::variant<std::monostate, Price, std::string, std::vector<bool>> extra;
  std::tuple<float, std::pair<std::uint32_t, std::string>> tail;
  std::vector<Order> children;
  friend bool operator==(const Order&, const Order&) = default;
};

// Fills any serialisable value with random contents, small enough to be damaged byte by byte.
class Filler {
 public:
  explicit Filler(std::uint64_t seed) : random_(seed) {}

  template <class T>
  T make() {
    T value{};
    fill(value);
    return value;
  }

 private:
  static constexpr unsigned kDeepest = 3;

  void fill(bool& value) { value = random_.one_in(2); }
  void fill(Side& value) { value = static_cast<Side>(random_.below(256)); }
  template <std::integral T>
  void fill(T& value) {
    value = static_cast<T>(random_.next());
  }
  template <std::floating_point T>
  void fill(T& value) {
    value = static_cast<T>(random_.between(-1000, 1000)) / 8;
  }
  void fill(std::string& value) {
    value.resize(random_.one_in(20) ? 200 : random_.below(6));
    for (auto& c : value) c = static_cast<char>(random_.next());
  }
  template <class T>
  void fill(std::optional<T>& value) {
    if (random_.one_in(2)) fill(value.emplace());
  }
  template <class T>
  void fill(std::vector<T>& value) {
    if (std::is_same_v<T, Order> && depth_ >= kDeepest) return;
    ++depth_;
    for (auto left = random_.below(4); left != 0; --left) value.push_back(make<T>());
    --depth_;
  }
  template <class T, std::size_t kCount>
  void fill(std::array<T, kCount>& value) {
    for (auto& element : value) fill(element);
  }
  template <class... Types>
  void fill(std::variant<Types...>& value) {
    const auto index = random_.below(sizeof...(Types));
    std::size_t i = 0;
    static_cast<void>(((i++ == index && (value = make<Types>(), true)) || ...));
  }
  template <internal::TupleLike T>
  void fill(T& value) {
    std::apply([&](auto&... part) { (fill(part), ...); }, value);
  }
  void fill(std::monostate&) {}
  template <Record T>
  void fill(T& value) {
    for_each_field(value, [&](auto& field) { fill(field); });
  }

  Random random_;
  unsigned depth_ = 0;
};

template <class T>
void goes_through_its_bytes(std::uint64_t seed) {
  const auto value = Filler(seed).make<T>();
  const auto bytes = serialize(value);
  ASSERT_EQ(bytes.size(), serialized_size(value));
  ASSERT_GE(bytes.size(), kMinSize<T>);
  const auto back = deserialize<T>(bytes);
  ASSERT_TRUE(back) << back.error().what;
  ASSERT_EQ(*back, value);
  // Into a value that holds something else already.
  auto other = Filler(seed + 1).make<T>();
  ASSERT_TRUE(deserialize_into(bytes, other));
  ASSERT_EQ(other, value);
}

TEST(SerializerRoundTrip, EveryValueComesBack) {
  for (std::uint64_t seed = 0; seed != 1000; ++seed) {
    SCOPED_TRACE(seed);
    goes_through_its_bytes<Order>(seed);
    goes_through_its_bytes<Price>(seed);
    goes_through_its_bytes<std::vector<std::optional<Leaf>>>(seed);
    goes_through_its_bytes<std::tuple<bool, std::variant<int, Order>, std::vector<std::string>>>(
        seed);
    if (HasFatalFailure()) return;
  }
}

TEST(SerializerRoundTrip, BytesCutShortAnywhereAreAnError) {
  for (std::uint64_t seed = 0; seed != 50; ++seed) {
    const auto bytes = serialize(Filler(seed).make<Order>());
    for (std::size_t size = 0; size != bytes.size(); ++size) {
      // A copy of its own, so that a sanitizer sees a read beyond the end.
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      const auto read = deserialize<Order>(cut);
      ASSERT_FALSE(read) << "seed " << seed << " size " << size;
      ASSERT_EQ(read.error().code, Code::kCorrupt);
    }
  }
}

TEST(SerializerRoundTrip, BytesLeftOverAreAnError) {
  auto bytes = serialize(Filler(1).make<Order>());
  const auto size = bytes.size();
  bytes.push_back(std::byte{0});
  EXPECT_EQ(deserialize<Price>(serialize(std::pair(Price{}, true))).error().what,
            "reading " + std::string(type_name<Price>()) +
                ": bytes are left over after the value's end at byte 10 of 11");
  EXPECT_FALSE(deserialize<Order>(bytes));
  EXPECT_TRUE(deserialize<Order>(ByteView(bytes).first(size)));
}

// Every value has one encoding only, so whatever the damaged bytes still mean, they are its bytes.
TEST(SerializerRoundTrip, ADamagedByteIsAnErrorOrAnotherValueWithJustTheseBytes) {
  std::size_t errors = 0;
  std::size_t values = 0;
  for (std::uint64_t seed = 0; seed != 50; ++seed) {
    Random random(seed);
    auto bytes = serialize(Filler(seed).make<Order>());
    for (auto& byte : bytes) {
      for (const unsigned flip : {1U, 0x80U, 0xffU, 1 + static_cast<unsigned>(random.below(255))}) {
        const auto good = byte;
        byte ^= static_cast<std::byte>(flip);
        if (const auto read = deserialize<Order>(bytes)) {
          ++values;
          ASSERT_EQ(serialize(*read), bytes) << "seed " << seed;
        } else {
          ++errors;
        }
        byte = good;
      }
    }
  }
  EXPECT_GT(errors, 1000u);
  EXPECT_GT(values, 1000u);
}

}  // namespace
}  // namespace weir
