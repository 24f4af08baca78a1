#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "weir/types/key_hash.h"
#include "weir/types/schema.h"
#include "weir/types/serializer.h"

// Reads any bytes as rich types and as a Schema. What is accepted must be written back as the very
// same bytes, for every value has one encoding only.

namespace {

enum class Side : std::int8_t { kBuy, kSell };
struct Leaf {
  std::uint8_t small;
  Side side;
  bool flag;
  std::array<std::int16_t, 2> pair;
};
struct Order {
  weir::Text symbol;
  std::string note;
  std::optional<Leaf> limit;
  std::vector<Leaf> leaves;
  std::vector<std::uint32_t> numbers;
  std::vector<std::tuple<>> empties;
  std::variant<std::monostate, double, std::string, std::vector<bool>> extra;
  std::vector<Order> children;
};
using Tables = std::map<std::string, std::map<std::int8_t, std::vector<std::string>>>;

template <class T>
void read_as(weir::ByteView bytes) {
  const auto value = weir::deserialize<T>(bytes);
  if (!value) return;
  const auto again = weir::serialize(*value);
  if (weir::text_of(again) != weir::text_of(bytes)) std::abort();
  if constexpr (weir::Key<T>) {
    if (!weir::same_key(*value, *value)) std::abort();
  }
}

// A map may be read in any order; once written it is in its own.
template <class T>
void read_as_map(weir::ByteView bytes) {
  const auto value = weir::deserialize<T>(bytes);
  if (!value) return;
  const auto again = weir::serialize(*value);
  if (again.size() != bytes.size()) std::abort();
  read_as<T>(again);
}

void read_as_schema(weir::ByteView bytes) {
  const auto schema = weir::schema_from(bytes);
  if (!schema) return;
  if (weir::text_of(weir::schema_bytes(*schema)) != weir::text_of(bytes)) std::abort();
  if (schema->to_string().empty()) std::abort();
  if (weir::compare(*schema, *schema).verdict != weir::Compatibility::Verdict::kAsIs) std::abort();
  static_cast<void>(weir::compare(*schema, weir::schema_of<Order>()));
}

}  // namespace

// The first byte says what the rest is read as.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  switch (data[0] % 5) {
    case 0:
      read_as<Order>(bytes);
      break;
    case 1:
      read_as<std::vector<std::optional<std::pair<std::string, Leaf>>>>(bytes);
      break;
    case 2:
      read_as_map<Tables>(bytes);
      break;
    case 3:
      read_as<std::tuple<std::vector<double>, std::variant<Order, bool>>>(bytes);
      break;
    default:
      read_as_schema(bytes);
  }
  return 0;
}
