#include "weir/connectors/file/owner_file.h"

#include <array>
#include <charconv>

#include "weir/base/bytes.h"
#include "weir/base/checksum.h"
#include "weir/base/percent_encoding.h"

namespace weir::connectors {
namespace {

constexpr std::string_view kHead = "weir-sink 1\n";
constexpr std::uint64_t kOwnerBytesMax = 64u << 10;

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '%'; }

std::string hex(std::uint64_t value) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  const std::string text(digits.data(), end);
  return std::string(digits.size() - text.size(), '0') + text;
}

// The value of the line `key=value` that the text begins with; it is taken off.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view key) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  auto line = text.substr(0, end);
  if (!line.starts_with(key) || line.substr(key.size(), 1) != "=") return std::nullopt;
  text.remove_prefix(end + 1);
  return line.substr(key.size() + 1);
}

}  // namespace

std::string SinkOwner::text() const {
  auto text = std::string(kHead) + "job-id=" + job.to_hex() + "\nsink-id=" + sink.to_hex() +
              "\nsink=" + percent_encode(sink_name, is_plain) + "\n";
  const auto sum = checksum(bytes_of(text));
  return text + "checksum=" + hex(sum) + "\n";
}

std::optional<SinkOwner> SinkOwner::parse(std::string_view text) {
  auto rest = text;
  if (!rest.starts_with(kHead)) return std::nullopt;
  rest.remove_prefix(kHead.size());
  const auto job = take_line(rest, "job-id");
  const auto sink = take_line(rest, "sink-id");
  const auto name = take_line(rest, "sink");
  if (!job || !sink || !name) return std::nullopt;
  const auto job_id = JobId::from_hex(*job);
  const auto sink_id = OperatorId::from_hex(*sink);
  const auto sink_name = percent_decode(*name);
  if (!job_id || !sink_id || !sink_name) return std::nullopt;
  SinkOwner owner{.job = *job_id, .sink = *sink_id, .sink_name = *sink_name};
  if (owner.text() != text) return std::nullopt;  // The checksum is part of it.
  return owner;
}

Result<std::optional<SinkOwner>> read_owner(env::FileSystem& files, const std::string& directory) {
  const auto path = env::join(directory, kOwnerName);
  const auto bytes = env::read_file(files, path, kOwnerBytesMax);
  if (!bytes) {
    if (bytes.error().code == Code::kNotFound) return std::optional<SinkOwner>();
    return bytes.error();
  }
  auto owner = SinkOwner::parse(text_of(*bytes));
  if (!owner)
    return Error{Code::kCorrupt, "reading " + path +
                                     ": it does not say whose output the directory holds; if that "
                                     "output is not wanted any more, empty the directory"};
  return owner;
}

Status put_owner(env::FileSystem& files, const std::string& directory, const SinkOwner& owner,
                 const OwnerDraftName& draft, PutOwner how) {
  const auto path = env::join(directory, kOwnerName);
  const auto draft_path = env::join(directory, draft.text());
  WEIR_ASSIGN(const auto file, files.create(draft_path, env::Create::kOrTruncate));
  WEIR_TRY(file->append(bytes_of(owner.text())));
  WEIR_TRY(file->sync());
  WEIR_TRY(file->close());
  if (how == PutOwner::kReplace) {
    WEIR_TRY(files.rename(draft_path, path));
  } else {
    if (const auto linked = files.link(draft_path, path);
        !linked && linked.error().code != Code::kRefused)
      return linked.error();
    WEIR_TRY(files.remove(draft_path));
  }
  return files.sync_directory(directory);
}

}  // namespace weir::connectors
