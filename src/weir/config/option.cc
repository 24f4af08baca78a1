#include "weir/config/option.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace weir::config {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};
// Durations in nanoseconds, the coarsest that fits first when written.
constexpr std::array kDurations = {
    Unit{"d", 86'400'000'000'000},
    Unit{"h", 3'600'000'000'000},
    Unit{"min", 60'000'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"ms", 1'000'000},
    Unit{"us", 1'000},
    Unit{"ns", 1},
};
constexpr std::array kSizes = {
    Unit{"tb", std::int64_t{1} << 40},
    Unit{"gb", std::int64_t{1} << 30},
    Unit{"mb", std::int64_t{1} << 20},
    Unit{"kb", std::int64_t{1} << 10},
    Unit{"b", 1},
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "200 ms" -> 200 * 1'000'000; a number without a unit has the unit `bare`.
template <std::size_t N>
std::optional<std::int64_t> quantity_of(std::string_view text, const std::array<Unit, N>& units,
                                        std::string_view bare) {
  const auto digits_end =
      std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
  const auto digits = text.substr(0, static_cast<std::size_t>(digits_end - text.begin()));
  auto name = trimmed(text.substr(digits.size()));
  if (name.empty()) name = bare;
  const auto count = number_of<std::int64_t>(digits);
  const auto unit =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
  if (!count || unit == units.end() || *count > INT64_MAX / unit->factor) return std::nullopt;
  return *count * unit->factor;
}

template <std::size_t N>
std::string quantity_text(std::int64_t quantity, const std::array<Unit, N>& units) {
  for (const auto& unit : units)
    if (quantity % unit.factor == 0 && (quantity != 0 || unit.factor == 1))
      return std::to_string(quantity / unit.factor) + " " + std::string(unit.name);
  return std::to_string(quantity);
}

std::optional<Value> value_of(std::string_view text, const std::string&) {
  return Value(std::string(text));
}
std::optional<Value> value_of(std::string_view text, bool) {
  if (text == "true") return Value(true);
  if (text == "false") return Value(false);
  return std::nullopt;
}
std::optional<Value> value_of(std::string_view text, std::int64_t) {
  const auto number = number_of<std::int64_t>(text);
  return number ? std::optional(Value(*number)) : std::nullopt;
}
std::optional<Value> value_of(std::string_view text, double) {
  const auto number = number_of<double>(text);
  return number && std::isfinite(*number) ? std::optional(Value(*number)) : std::nullopt;
}
std::optional<Value> value_of(std::string_view text, Duration) {
  const auto ns = quantity_of(text, kDurations, "ms");
  return ns ? std::optional(Value(Duration{*ns})) : std::nullopt;
}
std::optional<Value> value_of(std::string_view text, ByteCount) {
  const auto bytes = quantity_of(text, kSizes, "b");
  return bytes ? std::optional(Value(ByteCount{static_cast<std::uint64_t>(*bytes)})) : std::nullopt;
}

// What a user calls it.
const std::string& name_of(const Declaration& option) {
  return option.alias.empty() ? option.key : option.alias;
}

struct Names {
  std::string_view operator()(const std::string&) const { return "text"; }
  std::string_view operator()(bool) const { return "true or false"; }
  std::string_view operator()(std::int64_t) const { return "whole number"; }
  std::string_view operator()(double) const { return "number"; }
  std::string_view operator()(Duration) const { return "duration, such as 200 ms"; }
  std::string_view operator()(ByteCount) const { return "size, such as 64 mb"; }
};

struct Texts {
  std::string operator()(const std::string& value) const { return value.empty() ? "none" : value; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
  }
  std::string operator()(Duration value) const { return quantity_text(value.ns, kDurations); }
  std::string operator()(ByteCount value) const {
    return quantity_text(static_cast<std::int64_t>(value.bytes), kSizes);
  }
};

}  // namespace

std::string_view type_name(const Value& value) { return std::visit(Names{}, value); }
std::string to_string(const Value& value) { return std::visit(Texts{}, value); }

Result<Value> parse_value(std::string_view text, const Value& like) {
  const auto value =
      std::visit([&](const auto& type) { return value_of(trimmed(text), type); }, like);
  if (value) return *value;
  return Error{Code::kInvalid,
               "want a " + std::string(type_name(like)) + ", got '" + std::string(text) + "'"};
}

std::string shown_name(std::string_view key, std::string_view alias) {
  if (alias.empty()) return std::string(key);
  return "'" + std::string(alias) + "' (" + std::string(key) + ")";
}

Status Configuration::declare(Declaration declaration) {
  if (find(declaration.key) || (!declaration.alias.empty() && find(declaration.alias)))
    return Error{Code::kInvalid, "option " + declaration.key + ": it is declared twice"};
  declarations_.push_back(std::move(declaration));
  return ok();
}

const Declaration* Configuration::find(std::string_view name) const {
  const auto at = std::find_if(
      declarations_.begin(), declarations_.end(),
      [&](const Declaration& d) { return d.key == name || (!d.alias.empty() && d.alias == name); });
  return at == declarations_.end() ? nullptr : &*at;
}

Status Configuration::parse(const std::vector<std::string>& arguments) {
  return parse(arguments, Unknown::kError);
}

Status Configuration::parse_known(const std::vector<std::string>& arguments) {
  return parse(arguments, Unknown::kSkip);
}

Status Configuration::parse(const std::vector<std::string>& arguments, Unknown unknown) {
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    const bool is_key = argument.starts_with("-D");
    if (is_key) argument.remove_prefix(2);
    const auto equals = argument.find('=');
    const auto name = argument.substr(0, equals);
    const Declaration* declaration = argument.starts_with("-") || is_key ? find(name) : nullptr;
    if (!declaration || is_key != (declaration->key == name)) {
      if (unknown == Unknown::kSkip) continue;
      return Error{Code::kInvalid,
                   "unknown option '" + arguments[i] + "'; --help lists the options"};
    }
    if (equals != std::string_view::npos) {
      WEIR_TRY(set_declared(*declaration, argument.substr(equals + 1)));
    } else if (declaration->is_flag) {
      WEIR_TRY(set_declared(*declaration, "true"));
    } else if (i + 1 != arguments.size()) {
      WEIR_TRY(set_declared(*declaration, arguments[++i]));
    } else {
      return Error{Code::kInvalid, "option '" + arguments[i] + "': its value is missing"};
    }
  }
  return ok();
}

Status Configuration::check_needed() const {
  for (const auto& option : declarations_)
    if (option.is_needed && value(option.key) == Value(std::string()))
      return Error{Code::kInvalid,
                   "option '" + name_of(option) + "' is missing: " + option.sentence};
  return ok();
}

Status Configuration::set(std::string_view key, std::string_view text) {
  const Declaration* declaration = find(key);
  if (!declaration) return Error{Code::kInvalid, "unknown option '" + std::string(key) + "'"};
  return set_declared(*declaration, text);
}

Status Configuration::set_default(std::string_view key, std::string_view text) {
  const auto declaration = std::find_if(declarations_.begin(), declarations_.end(),
                                        [&](const Declaration& d) { return d.key == key; });
  if (declaration == declarations_.end())
    return Error{Code::kInvalid, "unknown option '" + std::string(key) + "'"};
  auto value = parse_value(text, declaration->default_value);
  if (!value) return value.error().during("option '" + declaration->key + "'");
  declaration->default_value = *std::move(value);
  return ok();
}

Status Configuration::set_declared(const Declaration& declaration, std::string_view text) {
  auto value = parse_value(text, declaration.default_value);
  const auto attempt = "option '" + name_of(declaration) + "'";
  if (!value) return value.error().during(attempt);
  if (declaration.is_needed && *value == Value(std::string()))
    return Error{Code::kInvalid, attempt + ": its value is empty"};
  values_.insert_or_assign(declaration.key, *std::move(value));
  return ok();
}

bool Configuration::was_set(std::string_view key) const {
  return values_.find(key) != values_.end();
}

const Value& Configuration::value(std::string_view key) const {
  if (const auto at = values_.find(key); at != values_.end()) return at->second;
  const Declaration* declaration = find(key);
  if (!declaration)
    check_failed("an option is declared before it is read", std::string(key).c_str(), __FILE__,
                 __LINE__);
  return declaration->default_value;
}

std::string Configuration::help() const {
  std::string text;
  for (const bool with_alias : {true, false}) {
    for (const auto& option : declarations_) {
      if (option.is_hidden || option.alias.empty() == with_alias) continue;
      text += "  " + (with_alias ? option.alias : "-D" + option.key);
      if (!option.is_flag) text += with_alias ? " VALUE" : "=VALUE";
      text += "\n      " + option.sentence;
      const bool has_default = !option.is_needed || option.default_value != Value(std::string());
      text += " (" + std::string(type_name(option.default_value)) + "; " +
              (has_default ? "default: " + to_string(option.default_value) : "needed");
      if (with_alias) text += "; -D" + option.key;
      text += ")\n";
    }
  }
  return text;
}

}  // namespace weir::config
