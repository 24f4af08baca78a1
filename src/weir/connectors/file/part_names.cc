#include "weir/connectors/file/part_names.h"

#include <charconv>

namespace weir::connectors {
namespace {

constexpr std::string_view kStagedPrefix = ".staged-";
constexpr std::string_view kVisiblePrefix = "part-";
constexpr std::string_view kDraftPrefix = ".weir-sink-";
constexpr std::size_t kHexDigits = 32;

// Takes a name apart from the left. What it reads must be written back alike, so each name has one form only.
class NameReader {
 public:
  explicit NameReader(std::string_view text) : rest_(text) {}

  void literal(std::string_view text) {
    ok_ = ok_ && rest_.starts_with(text);
    if (ok_) rest_.remove_prefix(text.size());
  }
  template <class Meaning>
  void id(WideId<Meaning>& into) {
    const auto parsed = WideId<Meaning>::from_hex(rest_.substr(0, kHexDigits));
    ok_ = ok_ && parsed;
    if (!ok_) return;
    into = *parsed;
    rest_.remove_prefix(kHexDigits);
  }
  template <class Number>
  void number(Number& into) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), into);
    ok_ = ok_ && error == std::errc();
    if (ok_) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  }
  bool is_done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

template <class Name>
std::optional<Name> if_complete(const NameReader& in, const Name& name, std::string_view text) {
  if (!in.is_done() || name.text() != text) return std::nullopt;
  return name;
}

template <class Number>
std::string dash(char letter, Number number) {
  return std::string("-") + letter + std::to_string(number);
}

}  // namespace

std::string StagedName::text() const {
  return std::string(kStagedPrefix) + job.to_hex() + "-" + sink.to_hex() +
         dash('s', subtask.value) + dash('e', epoch.value) + dash('a', attempt.value) +
         dash('c', after.value);
}

std::optional<StagedName> StagedName::parse(std::string_view text) {
  StagedName name;
  NameReader in(text);
  in.literal(kStagedPrefix);
  in.id(name.job);
  in.literal("-");
  in.id(name.sink);
  in.literal("-s");
  in.number(name.subtask.value);
  in.literal("-e");
  in.number(name.epoch.value);
  in.literal("-a");
  in.number(name.attempt.value);
  in.literal("-c");
  in.number(name.after.value);
  return if_complete(in, name, text);
}

std::string VisibleName::text() const {
  return std::string(kVisiblePrefix) + std::to_string(subtask.value) + "-" +
         std::to_string(checkpoint.value);
}

std::optional<VisibleName> VisibleName::parse(std::string_view text) {
  VisibleName name;
  NameReader in(text);
  in.literal(kVisiblePrefix);
  in.number(name.subtask.value);
  in.literal("-");
  in.number(name.checkpoint.value);
  return if_complete(in, name, text);
}

std::string OwnerDraftName::text() const {
  return std::string(kDraftPrefix) + job.to_hex() + "-" + sink.to_hex() + dash('s', subtask.value) +
         dash('e', epoch.value) + dash('a', attempt.value);
}

std::optional<OwnerDraftName> OwnerDraftName::parse(std::string_view text) {
  OwnerDraftName name;
  NameReader in(text);
  in.literal(kDraftPrefix);
  in.id(name.job);
  in.literal("-");
  in.id(name.sink);
  in.literal("-s");
  in.number(name.subtask.value);
  in.literal("-e");
  in.number(name.epoch.value);
  in.literal("-a");
  in.number(name.attempt.value);
  return if_complete(in, name, text);
}

}  // namespace weir::connectors
