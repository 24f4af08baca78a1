#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weir/base/result.h"
#include "weir/base/time.h"

namespace weir::config {

// A number of bytes: "64 kb", "256mb", "10". Multiples are binary, as Flink's.
struct ByteCount {
  std::uint64_t bytes = 0;
  friend constexpr auto operator<=>(ByteCount, ByteCount) = default;
};

using Value = std::variant<std::string, bool, std::int64_t, double, Duration, ByteCount>;

// What an option takes, for --help: "duration".
std::string_view type_name(const Value& value);
// As a user would write it: "200 ms".
std::string to_string(const Value& value);
// Reads text as a value of the type that `like` has. The error says what was wanted.
Result<Value> parse_value(std::string_view text, const Value& like);

// An option as a message names it, so that whoever typed its alias finds it:
// "'--parallelism' (parallelism.default)"; the key alone where there is no alias.
std::string shown_name(std::string_view key, std::string_view alias);

// An option as it is declared: once, by whoever acts on it.
struct Declaration {
  std::string key;         // "execution.checkpointing.interval"
  std::string alias;       // "--checkpoint-interval"; empty: only -Dkey=value
  Value default_value;     // its type is the option's
  std::string sentence;    // what it does, for --help
  bool is_flag = false;    // the alias alone means true
  bool is_hidden = false;  // not in --help: for tests
  // Text only: an empty one is an error, and so is none where there is no default.
  bool is_needed = false;
};

// One option that code can name.
template <class T>
struct Option {
  std::string_view key;
  std::string_view alias;
  T default_value;
  std::string_view sentence;
  bool is_hidden = false;
  bool is_needed = false;

  std::string shown_name() const { return config::shown_name(key, alias); }
  Declaration declaration() const {
    return {.key = std::string(key),
            .alias = std::string(alias),
            .default_value = Value(default_value),
            .sentence = std::string(sentence),
            .is_flag = std::is_same_v<T, bool>,
            .is_hidden = is_hidden,
            .is_needed = is_needed};
  }
};

// Declared options and the values that were given for them.
//
//   Errors  kInvalid, naming the option and what would be right
//   Thread  set up on one, then only read
class Configuration {
 public:
  // A second declaration of a key or an alias is kInvalid.
  Status declare(Declaration declaration);

  // From a command line without its program name: `-Dkey=value`, `--alias value`, `--alias=value`, `--flag`.
  Status parse(const std::vector<std::string>& arguments);
  // The same, but what is not declared is passed over: it may be later. A value may stand apart from its option, so a word
  // behind an unknown option is passed over too.
  Status parse_known(const std::vector<std::string>& arguments);
  // After parse(): whether everything has a value that needs one.
  Status check_needed() const;
  Status set(std::string_view key, std::string_view text);
  // What holds, and help() tells, where nothing else is said: in place of the declared default.
  Status set_default(std::string_view key, std::string_view text);

  bool was_set(std::string_view key) const;
  const Value& value(std::string_view key) const;
  template <class T>
  T get(const Option<T>& option) const {
    return std::get<T>(value(option.key));
  }
  template <class T>
  T get(std::string_view key) const {
    return std::get<T>(value(key));
  }

  // One paragraph per option, those with an alias first.
  std::string help() const;
  const std::vector<Declaration>& declarations() const { return declarations_; }

 private:
  enum class Unknown : bool { kError, kSkip };
  Status parse(const std::vector<std::string>& arguments, Unknown unknown);
  const Declaration* find(std::string_view key_or_alias) const;
  Status set_declared(const Declaration& declaration, std::string_view text);

  std::vector<Declaration> declarations_;
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace weir::config
