#include "weir/types/schema.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace weir {
namespace {

std::string_view scalar_name(Schema::Kind kind) {
  using Kind = Schema::Kind;
  switch (kind) {
    case Kind::kBool:
      return "bool";
    case Kind::kInt8:
      return "int8";
    case Kind::kInt16:
      return "int16";
    case Kind::kInt32:
      return "int32";
    case Kind::kInt64:
      return "int64";
    case Kind::kUint8:
      return "uint8";
    case Kind::kUint16:
      return "uint16";
    case Kind::kUint32:
      return "uint32";
    case Kind::kUint64:
      return "uint64";
    case Kind::kFloat32:
      return "float32";
    case Kind::kFloat64:
      return "float64";
    case Kind::kString:
      return "string";
    default:
      return {};
  }
}

std::string concatenated(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const auto piece : pieces) text += piece;
  return text;
}

// "a, b" of the parts, each behind its name in a record.
std::string joined(const Schema& schema) {
  std::string text;
  for (std::size_t i = 0; i != schema.parts.size(); ++i) {
    if (i != 0) text += ", ";
    if (schema.kind == Schema::Kind::kRecord) text.append(schema.field_names[i]).append(": ");
    text += schema.parts[i].to_string();
  }
  return text;
}

// The first difference between two trees, looked for from the root.
class Comparison {
 public:
  explicit Comparison(const Schema& current)
      : path_(current.kind == Schema::Kind::kRecord ? current.name : "value") {}

  std::optional<std::string> between(const Schema& was, const Schema& is) {
    if (was.kind != is.kind || was.count != is.count) return differ(was, is);
    if (is.kind == Schema::Kind::kRecord) return between_fields(was, is);
    if (was.parts.size() != is.parts.size()) return differ(was, is);
    for (std::size_t i = 0; i != is.parts.size(); ++i) {
      if (auto difference = inside(step(is, i), was.parts[i], is.parts[i])) return difference;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> between_fields(const Schema& was, const Schema& is) {
    const auto common = std::min(was.parts.size(), is.parts.size());
    for (std::size_t i = 0; i != common; ++i) {
      const auto& name = is.field_names[i];
      if (was.field_names[i] != name) return other_fields(was, is, i);
      if (auto difference = inside(std::string(".").append(name), was.parts[i], is.parts[i]))
        return difference;
    }
    if (was.parts.size() != is.parts.size()) return other_fields(was, is, common);
    return std::nullopt;
  }

  std::optional<std::string> inside(const std::string& step, const Schema& was, const Schema& is) {
    const auto length = path_.size();
    path_ += step;
    auto difference = between(was, is);
    path_.resize(length);
    return difference;
  }

  static std::string step(const Schema& parent, std::size_t index) {
    switch (parent.kind) {
      case Schema::Kind::kOptional:
        return "?";
      case Schema::Kind::kMap:
        return index == 0 ? "[key]" : "[value]";
      case Schema::Kind::kTuple:
        return std::string(".").append(std::to_string(index));
      case Schema::Kind::kVariant:
        return std::string("|").append(std::to_string(index));
      case Schema::Kind::kEnum:
        return "";
      default:
        return "[]";
    }
  }

  std::string differ(const Schema& was, const Schema& is) const {
    const bool is_field = path_.find('.') != std::string::npos;
    return concatenated(
        {is_field ? "field " : "", path_, ": was ", was.to_string(), ", is ", is.to_string()});
  }

  // The fields differ from number `i` on: one is gone, or new, or in another place.
  std::string other_fields(const Schema& was, const Schema& is, std::size_t i) const {
    if (i != was.parts.size() && place_of(was.field_names[i], is) == is.parts.size()) {
      return field(was, i, {"was ", was.parts[i].to_string(), ", is gone"});
    }
    if (i == is.parts.size()) return field(was, i, {"was there twice, is there once"});
    const auto old_place = place_of(is.field_names[i], was);
    if (old_place == was.parts.size()) {
      return field(is, i, {"was not there, is ", is.parts[i].to_string()});
    }
    return field(is, i,
                 {"was field number ", std::to_string(old_place + 1), ", is number ",
                  std::to_string(i + 1)});
  }

  std::string field(const Schema& record, std::size_t i,
                    std::initializer_list<std::string_view> what) const {
    return concatenated({"field ", path_, ".", record.field_names[i], ": ", concatenated(what)});
  }
  static std::size_t place_of(std::string_view name, const Schema& record) {
    const auto found = std::find(record.field_names.begin(), record.field_names.end(), name);
    return static_cast<std::size_t>(found - record.field_names.begin());
  }

  std::string path_;
};

}  // namespace

std::string Schema::to_string() const {
  switch (kind) {
    case Kind::kEnum:
      return concatenated({"enum ", name, ": ", joined(*this)});
    case Kind::kOptional:
      return concatenated({"optional<", joined(*this), ">"});
    case Kind::kList:
      return concatenated({"list<", joined(*this), ">"});
    case Kind::kArray:
      return concatenated({"array<", joined(*this), ", ", std::to_string(count), ">"});
    case Kind::kMap:
      return concatenated({"map<", joined(*this), ">"});
    case Kind::kTuple:
      return concatenated({"tuple<", joined(*this), ">"});
    case Kind::kVariant:
      return concatenated({"variant<", joined(*this), ">"});
    case Kind::kRecord:
      return concatenated({"record ", name, "{", joined(*this), "}"});
    case Kind::kBackReference:
      return name;
    default:
      return std::string(scalar_name(kind));
  }
}

Compatibility compare(const Schema& restored, const Schema& current) {
  if (auto difference = Comparison(current).between(restored, current)) {
    return {.verdict = Compatibility::Verdict::kIncompatible, .difference = *std::move(difference)};
  }
  return {};
}

}  // namespace weir
