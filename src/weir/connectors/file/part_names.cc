#include "weir/connectors/file/part_names.h"

#include <charconv>
#include <type_traits>
#include <utility>

namespace weir::connectors {
namespace {

constexpr std::string_view kStagedPrefix = ".staged-";
constexpr std::string_view kVisiblePrefix = "part-";
constexpr std::string_view kDraftPrefix = ".weir-sink-";
constexpr std::size_t kHexDigits = 32;

// The fields of a name from left to right, each with what stands in front of it: said once, for the
// one who writes it and the one who reads it.
template <class Name, class Field>
void attempt_fields(std::string_view prefix, Name& name, Field& field) {
  field(prefix, name.job);
  field("-", name.sink);
  field("-s", name.subtask.value);
  field("-e", name.epoch.value);
  field("-a", name.attempt.value);
}
template <class Name, class Field>
void each_field(Name& name, Field& field) {
  using Plain = std::remove_const_t<Name>;
  if constexpr (std::is_same_v<Plain, VisibleName>) {
    field(kVisiblePrefix, name.subtask.value);
    field("-", name.checkpoint.value);
  } else if constexpr (std::is_same_v<Plain, StagedName>) {
    attempt_fields(kStagedPrefix, name, field);
    field("-c", name.after.value);
  } else {
    attempt_fields(kDraftPrefix, name, field);
  }
}

class NameWriter {
 public:
  template <class Meaning>
  void operator()(std::string_view before, const WideId<Meaning>& id) {
    text.append(before).append(id.to_hex());
  }
  template <class Number>
  void operator()(std::string_view before, Number number) {
    text.append(before).append(std::to_string(number));
  }

  std::string text;
};

// Takes a name apart from the left.
class NameReader {
 public:
  explicit NameReader(std::string_view text) : rest_(text) {}

  template <class Meaning>
  void operator()(std::string_view before, WideId<Meaning>& into) {
    literal(before);
    const auto parsed = WideId<Meaning>::from_hex(rest_.substr(0, kHexDigits));
    ok_ = ok_ && parsed;
    if (!ok_) return;
    into = *parsed;
    rest_.remove_prefix(kHexDigits);
  }
  template <class Number>
  void operator()(std::string_view before, Number& into) {
    literal(before);
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), into);
    ok_ = ok_ && error == std::errc();
    if (ok_) rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  }
  bool is_done() const { return ok_ && rest_.empty(); }

 private:
  void literal(std::string_view text) {
    ok_ = ok_ && rest_.starts_with(text);
    if (ok_) rest_.remove_prefix(text.size());
  }

  std::string_view rest_;
  bool ok_ = true;
};

template <class Name>
std::string written(const Name& name) {
  NameWriter out;
  each_field(name, out);
  return std::move(out.text);
}

// What was read must be written back alike, so that each name has one form only.
template <class Name>
std::optional<Name> read(std::string_view text) {
  Name name;
  NameReader in(text);
  each_field(name, in);
  if (!in.is_done() || name.text() != text) return std::nullopt;
  return name;
}

}  // namespace

std::string StagedName::text() const { return written(*this); }
std::optional<StagedName> StagedName::parse(std::string_view text) {
  return read<StagedName>(text);
}

std::string VisibleName::text() const { return written(*this); }
std::optional<VisibleName> VisibleName::parse(std::string_view text) {
  return read<VisibleName>(text);
}

std::string OwnerDraftName::text() const { return written(*this); }
std::optional<OwnerDraftName> OwnerDraftName::parse(std::string_view text) {
  return read<OwnerDraftName>(text);
}

}  // namespace weir::connectors
