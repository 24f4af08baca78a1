#include "weir/storage/api/metadata.h"

#include <functional>

#include "weir/base/checksum.h"

namespace weir::storage {
namespace {

using checkpoint::CompletedCheckpoint;
using checkpoint::FileHandle;
using checkpoint::OperatorState;
using checkpoint::OperatorSubtaskState;
using checkpoint::SubtaskProgress;

Bytes bytes(std::string_view text) {
  const auto view = bytes_of(text);
  return {view.begin(), view.end()};
}

std::string hex(ByteView view) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const auto byte : view) {
    out += kDigits[static_cast<unsigned>(byte) >> 4];
    out += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return out;
}

// Two subtasks of one keyed operator, one of which is FINISHED, and a source with list state.
CompletedCheckpoint sample() {
  const auto sum = operator_id_of("sum");
  const auto source = operator_id_of("numbers");
  OperatorSubtaskState keyed{.id = sum, .keyed = {}, .lists = {}};
  keyed.keyed.push_back({{{0}, {63}}, FileHandle{"chk-17/e3-a1-s-0.state", 70'000, 0x1122334455}});
  keyed.keyed.push_back({{{64}, {127}}, bytes("inline")});
  OperatorSubtaskState lists{.id = source, .keyed = {}, .lists = bytes("offset 5")};
  return {.id = {17},
          .job = make_job_id(1'700'000'000'000, 0x123, 0x4567),
          .epoch = {3},
          .kind = CheckpointKind::kCheckpoint,
          .owner = checkpoint::Owner::kJob,
          .triggered_at = {1'700'000'000'123},
          .target = "",
          .operators = {
              OperatorState{.id = sum,
                            .uid = "sum",
                            .name = "Sum of numbers",
                            .parallelism = 2,
                            .max_parallelism = 128,
                            .subtasks = {keyed, {.id = sum, .keyed = {}, .lists = {}}},
                            .progress = {SubtaskProgress::kRunning, SubtaskProgress::kFinished}},
              OperatorState{.id = source,
                            .uid = "",
                            .name = "Source: numbers",
                            .parallelism = 1,
                            .max_parallelism = 128,
                            .subtasks = {lists},
                            .progress = {SubtaskProgress::kAtEnd}}}};
}

// The same with the schemas of its states.
CompletedCheckpoint full_sample() {
  auto full = sample();
  full.schemas = {{.op = operator_id_of("sum"),
                   .state = "total",
                   .kind = "value",
                   .key = bytes("K"),
                   .name_space = {},
                   .value = bytes("VV")}};
  return full;
}

// Puts sections together as the format says, apart from the encoder.
struct Sections {
  std::uint32_t version = 1;
  std::vector<std::pair<std::uint32_t, Bytes>> list;

  Bytes encode() const {
    Bytes out;
    ByteWriter writer(out);
    writer.raw(bytes_of("WEIRCHKP"));
    writer.number(version);
    writer.number(static_cast<std::uint32_t>(list.size()));
    for (const auto& [tag, payload] : list) {
      writer.number(tag);
      writer.number<std::uint64_t>(payload.size());
      writer.number(checksum(payload));
      writer.raw(payload);
    }
    writer.number(checksum(out));
    return out;
  }
};

// The sections of an encoded file.
Sections sections_of(const Bytes& file) {
  Sections out;
  ByteReader reader(ByteView(file).subspan(12));
  const auto count = reader.number<std::uint32_t>();
  for (std::uint32_t i = 0; i != count; ++i) {
    const auto tag = reader.number<std::uint32_t>();
    const auto length = reader.number<std::uint64_t>();
    reader.number<std::uint64_t>();
    const auto payload = reader.raw(length);
    out.list.emplace_back(tag, Bytes(payload.begin(), payload.end()));
  }
  return out;
}

void expect_refused(const Bytes& file, Code code, const std::string& mention) {
  const auto decoded = decode_metadata(file, "chk-17/_metadata");
  ASSERT_FALSE(decoded) << mention;
  EXPECT_EQ(decoded.error().code, code) << decoded.error().what;
  EXPECT_NE(decoded.error().what.find(mention), std::string::npos) << decoded.error().what;
  EXPECT_EQ(decoded.error().what.find("reading chk-17/_metadata: "), 0u) << decoded.error().what;
}

TEST(Metadata, ComesBackAsItWas) {
  const auto decoded = decode_metadata(encode_metadata(full_sample()), "x");
  ASSERT_TRUE(decoded) << decoded.error().what;
  EXPECT_EQ(decoded->checkpoint, full_sample());
}

TEST(Metadata, OfAJobWithoutStateComesBackToo) {
  auto empty = sample();
  empty.operators.clear();
  empty.kind = CheckpointKind::kStopSavepoint;
  empty.owner = checkpoint::Owner::kUser;
  empty.target = "/backups/savepoint-0190-aa";
  const auto decoded = decode_metadata(encode_metadata(empty), "x");
  ASSERT_TRUE(decoded) << decoded.error().what;
  EXPECT_EQ(decoded->checkpoint, empty);
}

// full_sample() section by section, in hexadecimal digits.
std::string checkpoint_digits() {
  return "018bcfe5680073018000000000004567"  // job id
         "0300000000000000"                  // epoch
         "1100000000000000"                  // checkpoint id
         "00"
         "00"                // kind, owner
         "7b68e5cf8b010000"  // triggered at
         "00";
}
std::string operators_digits() {
  return "02"                                // two operators
         + operator_id_of("sum").to_hex() +  // id
         "0373756d"
         "0e53756d206f66206e756d62657273"  // uid, name
         "02000000"
         "80000000"  // parallelism, max parallelism
         "00"
         "02"  // running; two keyed states
         "00000000"
         "3f000000"
         "01"                                              // key groups 0 to 63, in a file
         "1663686b2d31372f65332d61312d732d302e7374617465"  // its name
         "7011010000000000"
         "5544332211000000"  // its length and checksum
         "40000000"
         "7f000000"
         "00"
         "06696e6c696e65"  // key groups 64 to 127, inline
         "00"              // no list state
         "02"
         "00"
         "00"                                    // FINISHED, without state
         + operator_id_of("numbers").to_hex() +  //
         "00"
         "0f536f757263653a206e756d62657273"  //
         "01000000"
         "80000000"  //
         "01"
         "00"  // at its end; no keyed state
         "01"
         "00"
         "086f66667365742035";
}
std::string schemas_digits() {
  return "01" + operator_id_of("sum").to_hex() +
         "05746f74616c"
         "0576616c7565"  // state, kind
         "014b"
         "00"
         "025656";
}

// The bytes of version 1 never change: written out by hand from docs/formats/metadata.md, but for
// the checksums.
TEST(Metadata, HasTheBytesThatItsPageSays) {
  const auto file = encode_metadata(full_sample());
  const auto sections = sections_of(file);
  EXPECT_EQ(hex(ByteView(file).first(16)),
            "57454952"
            "43484b50"
            "01000000"
            "03000000");
  EXPECT_EQ(sections.encode(), file);
  const std::vector<std::pair<std::uint32_t, std::string>> want{
      {1, checkpoint_digits()}, {2, operators_digits()}, {3, schemas_digits()}};
  ASSERT_EQ(sections.list.size(), want.size());
  for (std::size_t i = 0; i != want.size(); ++i) {
    EXPECT_EQ(sections.list[i].first, want[i].first);
    EXPECT_EQ(hex(sections.list[i].second), want[i].second);
  }
}

TEST(Metadata, EveryFlippedBitIsNoticed) {
  const auto file = encode_metadata(full_sample());
  for (std::size_t at = 0; at != file.size(); ++at) {
    for (unsigned bit = 0; bit != 8; ++bit) {
      auto damaged = file;
      damaged[at] ^= static_cast<std::byte>(1u << bit);
      const auto decoded = decode_metadata(damaged, "x");
      ASSERT_FALSE(decoded) << at;
      EXPECT_TRUE(is_for_good(decoded.error().code)) << decoded.error().to_string();
    }
  }
}

TEST(Metadata, EveryTruncationAndEveryTailIsNoticed) {
  auto file = encode_metadata(full_sample());
  for (std::size_t size = 0; size != file.size(); ++size)
    EXPECT_EQ(decode_metadata(ByteView(file).first(size), "x").error().code, Code::kCorrupt)
        << size;
  file.push_back({});
  expect_refused(file, Code::kCorrupt, "1 bytes follow its end");
}

// A writer with right checksums and wrong content: whatever one byte says, the answer is a value or
// an error.
TEST(Metadata, HostileBytesUnderRightChecksumsAreSurvived) {
  const auto sections = sections_of(encode_metadata(full_sample()));
  for (std::size_t s = 0; s != sections.list.size(); ++s) {
    for (std::size_t at = 0; at != sections.list[s].second.size(); ++at) {
      for (const unsigned value : {0x00u, 0x01u, 0x7fu, 0x80u, 0xffu}) {
        auto hostile = sections;
        hostile.list[s].second[at] = static_cast<std::byte>(value);
        const auto decoded = decode_metadata(hostile.encode(), "x");
        if (!decoded) {
          EXPECT_EQ(decoded.error().code, Code::kCorrupt) << decoded.error().what;
          continue;
        }
        EXPECT_EQ(encode_metadata(decoded->checkpoint), hostile.encode());
      }
    }
    for (std::size_t size = 0; size != sections.list[s].second.size(); ++size) {
      auto shorter = sections;
      shorter.list[s].second.resize(size);
      EXPECT_FALSE(decode_metadata(shorter.encode(), "x")) << "section " << s << " size " << size;
    }
  }
}

TEST(Metadata, AnotherVersionIsRefusedByNumber) {
  auto sections = sections_of(encode_metadata(sample()));
  sections.version = 2;
  auto newer = sections.encode();
  expect_refused(newer, Code::kInvalid, "format version 2, this build reads version 1");
  newer[8] = std::byte{3};
  expect_refused(newer, Code::kCorrupt, "total checksum differs");
}

TEST(Metadata, AnUnknownSectionIsRefusedByNumber) {
  auto sections = sections_of(encode_metadata(sample()));
  sections.list.emplace_back(9, bytes("new"));
  expect_refused(sections.encode(), Code::kInvalid, "section 9 is unknown to this build");
}

TEST(Metadata, ReservedSectionsMayBeThereButNotFull) {
  auto sections = sections_of(encode_metadata(sample()));
  sections.list.emplace_back(4, Bytes{});
  sections.list.emplace_back(5, Bytes{});
  EXPECT_TRUE(decode_metadata(sections.encode(), "x"));
  sections.list[2].second = bytes("x");
  expect_refused(sections.encode(), Code::kInvalid, "section 4 (channel state) is not empty");
  sections.list[2].second.clear();
  sections.list[3].second = bytes("x");
  expect_refused(sections.encode(), Code::kInvalid, "section 5 (shared files) is not empty");
}

TEST(Metadata, SectionsAscendAndTheFirstTwoAreThere) {
  const auto whole = sections_of(encode_metadata(sample()));
  auto swapped = whole;
  std::swap(swapped.list[0], swapped.list[1]);
  expect_refused(swapped.encode(), Code::kCorrupt, "want ascending tags");
  auto doubled = whole;
  doubled.list.push_back(doubled.list.back());
  expect_refused(doubled.encode(), Code::kCorrupt, "want ascending tags");
  auto headless = whole;
  headless.list.erase(headless.list.begin());
  expect_refused(headless.encode(), Code::kCorrupt, "section 1 (checkpoint) is missing");
  auto stateless = whole;
  stateless.list.pop_back();
  expect_refused(stateless.encode(), Code::kCorrupt, "section 2 (operators) is missing");
}

TEST(Metadata, DamageIsNamedBySection) {
  auto file = encode_metadata(sample());
  file[file.size() - 12] ^= std::byte{1};
  expect_refused(file, Code::kCorrupt, "section 2 (operators): checksum differs");
}

// The operators' payload with one operator, whose fields a test can choose.
struct HostileOperator {
  std::uint64_t count = 1;
  std::uint32_t parallelism = 1;
  std::uint32_t max_parallelism = 128;
  std::uint8_t progress = 0;
  std::uint64_t keyed = 1;
  std::uint32_t first = 0;
  std::uint32_t last = 127;
  std::string name = "chk-17/a";

  Bytes file() const {
    Bytes payload;
    ByteWriter writer(payload);
    writer.leb128(count);
    for (std::uint64_t i = 0; i != std::min<std::uint64_t>(count, 2); ++i) write(writer);
    auto sections = sections_of(encode_metadata(sample()));
    sections.list[1].second = payload;
    return sections.encode();
  }

 private:
  void write(ByteWriter& writer) const {
    for (const auto byte : operator_id_of("a").bytes) writer.number(byte);
    writer.text("a");
    writer.text("a");
    writer.number(parallelism);
    writer.number(max_parallelism);
    writer.number(progress);
    writer.leb128(keyed);
    writer.number(first);
    writer.number(last);
    writer.number<std::uint8_t>(1);
    writer.text(name);
    writer.number<std::uint64_t>(5);
    writer.number<std::uint64_t>(6);
    writer.number<std::uint8_t>(0);
  }
};

TEST(Metadata, HostileOperatorsAreRefusedWithTheReason) {
  ASSERT_TRUE(decode_metadata(HostileOperator{}.file(), "x"));
  using Change = std::function<void(HostileOperator&)>;
  const std::vector<std::pair<Change, std::string>> cases = {
      {[](auto& op) { op.name = "/etc/passwd"; }, "it is absolute"},
      {[](auto& op) { op.name = "../chk-17/a"; }, "'.' or '..'"},
      {[](auto& op) { op.name = "chk-17/../../a"; }, "'.' or '..'"},
      {[](auto& op) { op.name = ""; }, "it is empty"},
      {[](auto& op) { op.count = 1ULL << 60; }, "a count of 1152921504606846976 operators"},
      {[](auto& op) { op.count = 2; }, "occurs twice"},
      {[](auto& op) { op.keyed = 1ULL << 60; }, "a count of 1152921504606846976 keyed states"},
      {[](auto& op) { op.parallelism = 0; }, "parallelism 0"},
      {[](auto& op) { op.parallelism = 4'000'000'000; }, "parallelism 4000000000"},
      {[](auto& op) { op.parallelism = 2; }, "it ends inside a field"},
      {[](auto& op) { op.max_parallelism = 32769; }, "max parallelism 32769"},
      {[](auto& op) { op.max_parallelism = 127; }, "key groups 0 to 127 of 127"},
      {[](auto& op) { op.first = 2, op.last = 1; }, "key groups 2 to 1 of 128"},
      {[](auto& op) { op.progress = 3; }, "progress 3 is unknown"},
  };
  for (const auto& [change, mention] : cases) {
    HostileOperator op;
    change(op);
    expect_refused(op.file(), Code::kCorrupt, mention);
  }
}

TEST(MetadataDeathTest, AFileNameThatLeadsElsewhereIsOurBug) {
  auto checkpoint = sample();
  checkpoint.operators[1].subtasks[0].lists = FileHandle{"../x", 1, 1};
  EXPECT_DEATH((void)encode_metadata(checkpoint), "check_relative_name");
}

}  // namespace
}  // namespace weir::storage
