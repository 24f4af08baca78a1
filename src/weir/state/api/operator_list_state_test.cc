#include "weir/state/api/operator_list_state.h"

#include "weir/base/random.h"

namespace weir::state {
namespace {

Bytes element(std::string_view text) {
  const auto view = bytes_of(text);
  return {view.begin(), view.end()};
}

OperatorListState some_lists() {
  OperatorListState lists;
  lists.put("splits", {element("S"), {element("first"), element("")}});
  lists.add("committables", element("part-1"));
  return lists;
}

std::vector<std::string> texts(const std::vector<Bytes>& elements) {
  std::vector<std::string> all;
  for (const auto& bytes : elements) all.emplace_back(text_of(bytes));
  return all;
}
using Texts = std::vector<std::string>;

TEST(OperatorListState, ComesBackFromItsBytes) {
  const auto lists = some_lists();
  EXPECT_EQ(*OperatorListState::deserialise(lists.serialise()), lists);
  EXPECT_EQ(texts(lists.elements("splits")), (Texts{"first", ""}));
  EXPECT_TRUE(lists.elements("other").empty());
  EXPECT_TRUE(OperatorListState::deserialise({})->is_empty());
  EXPECT_EQ(*OperatorListState::deserialise(OperatorListState().serialise()), OperatorListState());
}

// docs/formats/operator_state.md, version 1.
TEST(OperatorListState, ItsBytesAreFrozen) {
  const std::string_view golden(
      "\x01\x02"
      "\x0c"
      "committables\x00\x01\x06part-1"
      "\x06splits\x01S\x02\x05"
      "first\x00",
      41);
  EXPECT_EQ(text_of(some_lists().serialise()), golden);
}

TEST(OperatorListState, AnythingElseIsAnError) {
  const auto good = some_lists().serialise();
  for (std::size_t length = 1; length != good.size(); ++length) {
    EXPECT_FALSE(OperatorListState::deserialise(ByteView(good).first(length))) << length;
  }
  auto longer = good;
  longer.push_back({});
  EXPECT_FALSE(OperatorListState::deserialise(longer));
  auto newer = good;
  newer[0] = std::byte{2};
  const auto refused = OperatorListState::deserialise(newer);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalid);
  EXPECT_NE(refused.error().what.find("version 2 is not known"), std::string::npos);
  // Whatever is read back writes the same bytes; the rest is refused.
  Random random(1);
  for (int round = 0; round != 50'000; ++round) {
    auto damaged = good;
    damaged[random.below(damaged.size())] = static_cast<std::byte>(random.next());
    if (random.one_in(2))
      damaged[random.below(damaged.size())] = static_cast<std::byte>(random.below(4));
    const auto read = OperatorListState::deserialise(damaged);
    if (read) {
      ASSERT_EQ(read->serialise(), damaged);
    }
  }
}

TEST(OperatorListState, ManyListsAndElementsThatAreNotThereAreNotBelieved) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.number(std::uint8_t{1});
  out.leb128(1);
  out.text("x");
  out.text("");
  out.leb128(std::uint64_t{1} << 60);
  EXPECT_FALSE(OperatorListState::deserialise(bytes));
}

std::vector<OperatorListState> dealt(const std::vector<OperatorListState>& old,
                                     std::uint32_t parallelism) {
  std::vector<OperatorListState> shares;
  for (std::uint32_t i = 0; i != parallelism; ++i) shares.push_back(share_of(old, i, parallelism));
  return shares;
}

TEST(ShareOf, IsUnchangedAtEqualParallelism) {
  std::vector<OperatorListState> old(3);
  old[1].add("a", element("1"));
  old[1].add("a", element("2"));
  EXPECT_EQ(dealt(old, 3), old);
}

TEST(ShareOf, DealsContiguousPiecesAndBeginsElsewhereForTheNextList) {
  std::vector<OperatorListState> old(2);
  for (const auto* text : {"1", "2", "3"}) old[0].add("a", element(text));
  old[1].add("a", element("4"));
  old[1].add("b", element("x"));
  old[1].add("c", element("y"));
  const auto shares = dealt(old, 3);
  EXPECT_EQ(texts(shares[0].elements("a")), (Texts{"1", "2"}));
  EXPECT_EQ(texts(shares[1].elements("a")), (Texts{"3"}));
  EXPECT_EQ(texts(shares[2].elements("a")), (Texts{"4"}));
  EXPECT_EQ(texts(shares[1].elements("b")), (Texts{"x"}));
  EXPECT_EQ(texts(shares[2].elements("c")), (Texts{"y"}));
}

// Every element once, in order, in pieces that differ by one at most.
TEST(ShareOf, KeepsEveryElementAtAnyParallelism) {
  Random random(3);
  for (int round = 0; round != 300; ++round) {
    std::vector<OperatorListState> old(1 + random.below(6));
    std::map<std::string, std::vector<Bytes>> all;
    for (auto& subtask : old) {
      for (auto n = random.below(20); n != 0; --n) {
        const auto list = std::string(1, static_cast<char>('a' + random.below(3)));
        subtask.add(list, element(std::to_string(random.next())));
      }
      for (const auto& [name, list] : subtask.lists())
        all[name].insert(all[name].end(), list.elements.begin(), list.elements.end());
    }
    const auto parallelism = static_cast<std::uint32_t>(1 + random.below(6));
    const auto shares = dealt(old, parallelism);
    for (const auto& [name, elements] : all) {
      std::vector<Bytes> together;
      for (const auto& share : shares) {
        const auto& piece = share.elements(name);
        together.insert(together.end(), piece.begin(), piece.end());
        if (parallelism != old.size()) {
          EXPECT_LE(piece.size(), elements.size() / parallelism + 1);
          EXPECT_GE(piece.size(), elements.size() / parallelism);
        }
      }
      EXPECT_EQ(together, elements);
    }
  }
}

}  // namespace
}  // namespace weir::state
