#include "weir/state/api/operator_list_state.h"

#include <algorithm>

namespace weir::state {
namespace {

constexpr std::uint8_t kVersion = 1;

// How long the piece of Subtask i is, of n elements over p Subtasks when the longer pieces begin at `first`.
std::size_t piece_size(std::size_t n, std::uint32_t p, std::uint32_t i, std::uint32_t first) {
  return n / p + ((i + p - first) % p < n % p ? 1 : 0);
}

}  // namespace

const std::vector<Bytes>& OperatorListState::elements(const std::string& list) const {
  static const std::vector<Bytes> kNone;
  const auto at = lists_.find(list);
  return at == lists_.end() ? kNone : at->second.elements;
}

Bytes OperatorListState::serialise() const {
  Bytes bytes;
  ByteWriter out(bytes);
  out.number(kVersion);
  out.leb128(lists_.size());
  for (const auto& [name, list] : lists_) {
    out.text(name);
    out.text(text_of(list.schema));
    out.leb128(list.elements.size());
    for (const auto& element : list.elements) out.text(text_of(element));
  }
  return bytes;
}

Result<OperatorListState> OperatorListState::deserialise(ByteView bytes) {
  OperatorListState state;
  if (bytes.empty()) return state;  // A Subtask that had none.
  ByteReader in(bytes);
  const auto version = in.number<std::uint8_t>();
  if (version != kVersion)
    return Error{Code::kInvalid, "reading operator state: version " + std::to_string(version) +
                                     " is not known, only " + std::to_string(kVersion)};
  const auto lists = in.leb128();
  std::string_view before;
  for (std::uint64_t l = 0; l != lists && in.ok(); ++l) {
    const auto name = in.text();
    if (l != 0 && name <= before) in.fail();
    before = name;
    auto& [schema, elements] = state.lists_[std::string(name)];
    const auto schema_bytes = bytes_of(in.text());
    schema.assign(schema_bytes.begin(), schema_bytes.end());
    const auto count = in.leb128();
    for (std::uint64_t e = 0; e != count && in.ok(); ++e) {
      const auto element = bytes_of(in.text());
      elements.emplace_back(element.begin(), element.end());
    }
    if (count == 0) in.fail();  // Never written.
  }
  if (!in.ok() || in.remaining() != 0)
    return Error{Code::kCorrupt, "reading operator state: its " + std::to_string(bytes.size()) +
                                     " bytes are not what was written"};
  return state;
}

OperatorListState share_of(std::span<const OperatorListState> old, std::uint32_t index,
                           std::uint32_t parallelism) {
  if (old.size() == parallelism) return old[index];
  std::map<std::string, SavedList> all;
  for (const auto& subtask : old) {
    for (const auto& [name, list] : subtask.lists()) {
      auto& [schema, elements] = all[name];
      schema = list.schema;
      elements.insert(elements.end(), list.elements.begin(), list.elements.end());
    }
  }
  OperatorListState share;
  std::uint32_t first = 0;
  for (const auto& [name, list] : all) {
    const auto count = list.elements.size();
    std::size_t begin = 0;
    for (std::uint32_t i = 0; i != index; ++i) begin += piece_size(count, parallelism, i, first);
    const auto size = piece_size(count, parallelism, index, first);
    const auto from = list.elements.begin() + static_cast<std::ptrdiff_t>(begin);
    if (size != 0) share.put(name, {list.schema, {from, from + static_cast<std::ptrdiff_t>(size)}});
    first = static_cast<std::uint32_t>((first + count) % parallelism);
  }
  return share;
}

}  // namespace weir::state
