#include "weir/storage/api/metadata.h"

#include <array>

#include "weir/base/checksum.h"
#include "weir/storage/api/checkpoint_names.h"
#include "weir/storage/api/checkpoint_storage.h"
#include "weir/storage/api/internal/metadata_sections.h"

namespace weir::storage {
namespace {

constexpr std::string_view kMagic = "WEIRCHKP";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 8 + 4 + 4;         // magic, version, count of sections
constexpr std::size_t kSectionHeaderBytes = 4 + 8 + 8;  // tag, length, checksum
constexpr std::size_t kTotalBytes = 8;

struct Section {
  std::uint32_t tag;
  ByteView payload;
};

std::string section_name(std::uint32_t tag) {
  std::string out = "section " + std::to_string(tag);
  switch (static_cast<SectionTag>(tag)) {
    case SectionTag::kCheckpoint:
      return out + " (checkpoint)";
    case SectionTag::kOperators:
      return out + " (operators)";
    case SectionTag::kSchemas:
      return out + " (schemas)";
    case SectionTag::kChannelState:
      return out + " (channel state)";
    case SectionTag::kSharedFiles:
      return out + " (shared files)";
  }
  return out;
}

// Cuts a file into its sections, with every check that needs no knowledge of what is in them.
class SectionReader {
 public:
  SectionReader(ByteView bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  Result<std::vector<Section>> read() {
    WEIR_ASSIGN(const auto count, read_header());
    std::vector<Section> sections;
    for (std::uint32_t i = 0; i != count; ++i) {
      WEIR_ASSIGN(const auto section, read_section());
      if (!sections.empty() && section.tag <= sections.back().tag)
        return corrupt(section_name(section.tag) + " follows " + section_name(sections.back().tag) +
                       ": want ascending tags");
      sections.push_back(section);
    }
    WEIR_TRY(check_end());
    return sections;
  }

  Error corrupt(const std::string& what) const {
    return {Code::kCorrupt,
            "reading " + std::string(file_) + ": " + what + std::string(kDamagedAdvice)};
  }
  Error invalid(const std::string& what) const {
    return {Code::kInvalid,
            "reading " + std::string(file_) + ": " + what + std::string(kOtherBuildAdvice)};
  }

 private:
  Result<std::uint32_t> read_header() {
    if (text_of(reader_.raw(kMagic.size())) != kMagic)
      return corrupt("it does not begin with " + std::string(kMagic) + ": no checkpoint metadata");
    const auto version = reader_.number<std::uint32_t>();
    if (reader_.ok() && version != kVersion && !has_right_total())
      return corrupt("total checksum differs");  // A damaged number is no other version.
    if (reader_.ok() && version != kVersion)
      return invalid("format version " + std::to_string(version) + ", this build reads version " +
                     std::to_string(kVersion));
    const auto count = reader_.number<std::uint32_t>();
    if (!reader_.ok() || bytes_.size() < kHeaderBytes + kTotalBytes) return truncated();
    return count;
  }

  Result<Section> read_section() {
    Section section{};
    section.tag = reader_.number<std::uint32_t>();
    const auto length = reader_.number<std::uint64_t>();
    const auto want = reader_.number<std::uint64_t>();
    section.payload = reader_.raw(length);
    if (!reader_.ok()) return truncated();
    if (checksum(section.payload) != want)
      return corrupt(section_name(section.tag) + ": checksum differs");
    return section;
  }

  Status check_end() {
    std::ignore = reader_.number<std::uint64_t>();  // has_right_total() reads it
    if (!reader_.ok()) return truncated();
    if (reader_.remaining() != 0)
      return corrupt(std::to_string(reader_.remaining()) + " bytes follow its end");
    if (!has_right_total()) return corrupt("total checksum differs");
    return ok();
  }

  bool has_right_total() const {
    if (bytes_.size() < kHeaderBytes + kTotalBytes) return false;
    const auto want = ByteReader(bytes_.last(kTotalBytes)).number<std::uint64_t>();
    return checksum(bytes_.first(bytes_.size() - kTotalBytes)) == want;
  }

  Error truncated() const {
    return corrupt("it ends early, after " + std::to_string(bytes_.size()) + " bytes");
  }

  const ByteView bytes_;
  const std::string_view file_;
  ByteReader reader_{bytes_};
};

void append_section(ByteWriter& writer, SectionTag tag, const Bytes& payload) {
  writer.number(tag);
  writer.number<std::uint64_t>(payload.size());
  writer.number(checksum(payload));
  writer.raw(payload);
}

}  // namespace

Bytes encode_metadata(const checkpoint::CompletedCheckpoint& checkpoint) {
  std::vector<std::pair<SectionTag, Bytes>> sections;
  sections.emplace_back(SectionTag::kCheckpoint, encode_checkpoint(checkpoint));
  sections.emplace_back(SectionTag::kOperators, encode_operators(checkpoint.operators));
  if (!checkpoint.schemas.empty())
    sections.emplace_back(SectionTag::kSchemas, encode_schemas(checkpoint.schemas));

  Bytes out;
  std::size_t size = kHeaderBytes + kTotalBytes;
  for (const auto& [tag, payload] : sections) size += kSectionHeaderBytes + payload.size();
  out.reserve(size);
  ByteWriter writer(out);
  writer.raw(bytes_of(kMagic));
  writer.number(kVersion);
  writer.number(static_cast<std::uint32_t>(sections.size()));
  for (const auto& [tag, payload] : sections) append_section(writer, tag, payload);
  writer.number(checksum(out));
  return out;
}

Result<Metadata> decode_metadata(ByteView bytes, std::string_view file) {
  SectionReader reader(bytes, file);
  WEIR_ASSIGN(const auto sections, reader.read());
  Metadata out;
  bool has_checkpoint = false;
  bool has_operators = false;
  for (const auto& section : sections) {
    std::string wrong;
    switch (static_cast<SectionTag>(section.tag)) {
      case SectionTag::kCheckpoint:
        wrong = decode_checkpoint(section.payload, out.checkpoint);
        has_checkpoint = true;
        break;
      case SectionTag::kOperators:
        wrong = decode_operators(section.payload, out.checkpoint.operators);
        has_operators = true;
        break;
      case SectionTag::kSchemas:
        wrong = decode_schemas(section.payload, out.checkpoint.schemas);
        break;
      case SectionTag::kChannelState:
      case SectionTag::kSharedFiles:
        if (!section.payload.empty())
          return reader.invalid(section_name(section.tag) + " is not empty: this build reads none");
        break;
      default:
        return reader.invalid(section_name(section.tag) +
                              " is unknown to this build: a newer one wrote it");
    }
    if (!wrong.empty()) return reader.corrupt(section_name(section.tag) + ": " + wrong);
  }
  if (!has_checkpoint) return reader.corrupt("section 1 (checkpoint) is missing");
  if (!has_operators) return reader.corrupt("section 2 (operators) is missing");
  return out;
}

}  // namespace weir::storage
