#include "tests/simulation/arguments.h"

#include <charconv>
#include <string>

namespace weir::simulation {
namespace {

using Command = Arguments::Command;

// Takes the words one after the other.
class Words {
 public:
  explicit Words(std::span<const std::string_view> words) : left_(words) {}

  bool is_at_end() const { return left_.empty(); }
  Result<std::string_view> next(std::string_view wanted) {
    if (left_.empty()) return Error{Code::kInvalid, std::string(wanted) + " is missing"};
    const auto word = left_.front();
    left_ = left_.subspan(1);
    return word;
  }
  Result<std::uint64_t> next_number(std::string_view wanted) {
    WEIR_ASSIGN(auto word, next(wanted));
    std::uint64_t number = 0;
    const char* const end = word.data() + word.size();
    const auto [behind, error] = std::from_chars(word.data(), end, number);
    if (error != std::errc() || behind != end)
      return Error{Code::kInvalid,
                   std::string(wanted) + " is a number, got '" + std::string(word) + "'"};
    return number;
  }

 private:
  std::span<const std::string_view> left_;
};

Result<Mutant> mutant_named(std::string_view wanted) {
  std::string known;
  for (const auto& [mutant, name] : kMutants) {
    if (name == wanted) return mutant;
    known += ' ';
    known += name;
  }
  return Error{Code::kInvalid,
               "there is no mutant '" + std::string(wanted) + "'; there are:" + known};
}

Result<Command> command_named(std::string_view word) {
  if (word == "run") return Command::kRun;
  if (word == "swarm") return Command::kSwarm;
  if (word == "seeds") return Command::kSeeds;
  if (word == "crashes") return Command::kCrashes;
  if (word == "mutants") return Command::kMutants;
  return Error{Code::kInvalid, "there is no command '" + std::string(word) + "'"};
}

// One option with what belongs to it.
Status take_option(std::string_view option, Words& words, Arguments& arguments) {
  const auto command = arguments.command;
  if (command == Command::kRun && option == "--trace") {
    arguments.with_trace = true;
  } else if (command == Command::kSeeds && option == "--hashes") {
    arguments.only_hashes = true;
  } else if (command == Command::kSwarm && option == "--from") {
    WEIR_ASSIGN(auto from, words.next_number("the seed behind --from"));
    arguments.from = from;
  } else if (command == Command::kSwarm && option == "--mutant") {
    WEIR_ASSIGN(auto name, words.next("the name behind --mutant"));
    WEIR_ASSIGN(auto mutant, mutant_named(name));
    arguments.mutant = mutant;
  } else {
    return Error{Code::kInvalid, "this command takes no '" + std::string(option) + "'"};
  }
  return ok();
}

}  // namespace

Result<Arguments> parse_arguments(std::span<const std::string_view> given) {
  Words words(given);
  Arguments arguments;
  WEIR_ASSIGN(auto name, words.next("the command"));
  WEIR_ASSIGN(auto command, command_named(name));
  arguments.command = command;
  if (command == Command::kRun || command == Command::kSwarm) {
    auto& number = command == Command::kRun ? arguments.seed : arguments.count;
    WEIR_ASSIGN(auto read, words.next_number(command == Command::kRun ? "SEED" : "N"));
    number = read;
  }
  while (!words.is_at_end()) {
    const auto option = words.next("an option");
    WEIR_TRY(take_option(*option, words, arguments));
  }
  if (command == Command::kSwarm && arguments.count == 0)
    return Error{Code::kInvalid, "N is at least 1: a swarm of no seeds shows nothing"};
  if (arguments.count > UINT64_MAX - arguments.from)
    return Error{Code::kInvalid, "there are not so many seeds"};
  return arguments;
}

}  // namespace weir::simulation
