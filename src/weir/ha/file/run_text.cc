#include "weir/ha/file/run_text.h"

#include <charconv>

#include "weir/base/checksum.h"
#include "weir/base/percent_encoding.h"

namespace weir::ha {
namespace {

constexpr std::string_view kFirstLine = "weir-run 1\n";
constexpr std::string_view kFirstWord = "weir-run ";
constexpr std::string_view kEarlier = "earlier-";
constexpr std::string_view kChecksumKey = "checksum=";
constexpr std::size_t kChecksumLineBytes = 9 + 16 + 1;

// Everything but line ends, other control characters and the escape itself: people read this file.
bool stays_readable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7f && c != '%';
}

std::string hex(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = 16; i-- != 0; value >>= 4) out[i] = kDigits[value & 15];
  return out;
}

std::string checksum_line(std::string_view text) {
  return std::string(kChecksumKey) + hex(checksum(bytes_of(text))) + "\n";
}

std::string line(std::string_view key, std::string_view value) {
  return std::string(key) + "=" + percent_encode(value, stays_readable) + "\n";
}
std::string line(std::string_view key, std::uint64_t value) {
  return line(key, std::to_string(value));
}
std::string line(std::string_view key, const Pointer& pointer) {
  return line(key, std::to_string(pointer.id.value) + " " + pointer.metadata);
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// "17 the rest" into its number and its rest.
template <class Number>
bool read_numbered(std::string_view text, Number& number, std::string& rest) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return false;
  rest = text.substr(space + 1);
  return read_number(text.substr(0, space), number);
}

// The lines that tell of a run, each key behind `prefix`, but for those of its job and its ids.
template <class Run>
std::string run_lines(const std::string& prefix, const Run& run) {
  std::string out;
  if (run.newest) out += line(prefix + "newest", *run.newest);
  for (const auto& pointer : run.retained) out += line(prefix + "retained", pointer);
  if (run.result)
    out += line(prefix + "finished",
                std::to_string(run.result->finished_at.unix_ms) + " " + run.result->summary);
  return out;
}

// Takes one line's value into the run that it tells of; false where it is not one.
template <class Run>
bool take_run_line(std::string_view key, const std::string& value, Run& out) {
  if (key == "job-id") {
    const auto id = JobId::from_hex(value);
    if (id) out.job = *id;
    return static_cast<bool>(id);
  }
  if (key == "ids-reserved") return read_number(value, out.ids_reserved.value);
  if (key == "newest") {
    out.newest.emplace();
    return read_numbered(value, out.newest->id.value, out.newest->metadata);
  }
  if (key == "retained") {
    auto& pointer = out.retained.emplace_back();
    return read_numbered(value, pointer.id.value, pointer.metadata);
  }
  if (key == "finished") {
    out.result.emplace();
    return read_numbered(value, out.result->finished_at.unix_ms, out.result->summary);
  }
  return false;
}

bool take(std::string_view key, const std::string& value, RunRecord& out) {
  if (key.starts_with(kEarlier)) {
    if (!out.earlier) out.earlier.emplace();
    return take_run_line(key.substr(kEarlier.size()), value, *out.earlier);
  }
  if (key == "epoch") return read_number(value, out.epoch.value);
  if (key == "rest") {
    out.rest_address = value;
    return true;
  }
  return take_run_line(key, value, out);
}

Error corrupt(std::string_view file, const std::string& what) {
  return {Code::kCorrupt,
          "reading the run record " + std::string(file) + ": " + what +
              "; put back what was there, or move its directory away to begin anew"};
}

// Also --restart reads the record: ids go on from it.
Error another_version(std::string_view file, std::string_view first_line) {
  return {Code::kCorrupt,
          "reading the run record " + std::string(file) + ": '" +
              std::string(first_line.substr(0, 40)) +
              "' is another version; this build reads 'weir-run 1'; start the build "
              "that wrote it, or move its directory away to begin anew"};
}

}  // namespace

std::string run_text(const RunRecord& record) {
  std::string out(kFirstLine);
  out += line("job-id", record.job.to_hex());
  out += line("epoch", record.epoch.value);
  out += line("ids-reserved", record.ids_reserved.value);
  out += run_lines("", record);
  if (record.earlier) {
    const std::string prefix(kEarlier);
    out += line(prefix + "job-id", record.earlier->job.to_hex());
    out += line(prefix + "ids-reserved", record.earlier->ids_reserved.value);
    out += run_lines(prefix, *record.earlier);
  }
  out += line("rest", record.rest_address);
  return out + checksum_line(out);
}

Result<RunRecord> parse_run_text(std::string_view text, std::string_view file) {
  if (!text.starts_with(kFirstWord)) return corrupt(file, "it does not begin with 'weir-run'");
  const auto first_end = std::min(text.find('\n'), text.size());
  if (!text.starts_with(kFirstLine)) return another_version(file, text.substr(0, first_end));
  if (text.size() < kFirstLine.size() + kChecksumLineBytes)
    return corrupt(file, "it ends early, after " + std::to_string(text.size()) + " bytes");
  const auto covered = text.substr(0, text.size() - kChecksumLineBytes);
  if (text.substr(covered.size()) != checksum_line(covered))
    return corrupt(file,
                   "checksum differs, want the last line " + checksum_line(covered).substr(0, 25));

  RunRecord out;
  for (std::size_t at = kFirstLine.size(); at < covered.size();) {
    const auto end = std::min(covered.find('\n', at), covered.size());
    const auto one = covered.substr(at, end - at);
    at = end + 1;
    const auto equals = std::min(one.find('='), one.size());
    const auto value = percent_decode(one.substr(std::min(equals + 1, one.size())));
    if (!value || !take(one.substr(0, equals), *value, out))
      return corrupt(file, "the line '" + std::string(one.substr(0, 100)) + "' makes no sense");
  }
  if (run_text(out) != text) return corrupt(file, "lines are missing, doubled or out of order");
  return out;
}

}  // namespace weir::ha
