#include "tests/support/transcript.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace weir::transcript {
namespace {

constexpr std::string_view kRule = "----";
constexpr std::string_view kNothing = "(nothing)";

// Words separated by spaces; double quotes hold a word together and are dropped.
std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
    } else {
      word.push_back(c);
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& line : lines) out += line + "\n";
  return out;
}

struct Story {
  std::string path;
  std::vector<std::string> lines;
  std::vector<std::string> rewritten = {};
  bool differs = false;
};

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << "opening the transcript " << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> perform_at(const Story& story, std::size_t at, const Perform& perform) {
  const Command command(story.lines[at]);
  auto out = perform(command);
  for (const auto& complaint : command.complaints())
    ADD_FAILURE_AT(story.path.c_str(), static_cast<int>(at + 1)) << complaint;
  return out;
}

// Plays the block whose first command is at `at`; the number of the line after it.
std::size_t play_block(Story& story, std::size_t at, const Perform& perform) {
  std::vector<std::string> out;
  while (at != story.lines.size() && !story.lines[at].empty() && story.lines[at] != kRule) {
    story.rewritten.push_back(story.lines[at]);
    if (story.lines[at][0] != '#') {
      auto more = perform_at(story, at, perform);
      out.insert(out.end(), more.begin(), more.end());
    }
    ++at;
  }
  if (out.empty()) out.emplace_back(kNothing);
  const auto rule = at;
  std::vector<std::string> expected;
  if (at != story.lines.size() && story.lines[at] == kRule) {
    for (++at; at != story.lines.size() && !story.lines[at].empty(); ++at)
      expected.push_back(story.lines[at]);
  }
  if (expected != out) {
    story.differs = true;
    if (!std::getenv("WEIR_REWRITE"))
      ADD_FAILURE_AT(story.path.c_str(), static_cast<int>(rule + 1))
          << "expected\n"
          << joined(expected) << "but this came out\n"
          << joined(out) << "(WEIR_REWRITE=1 writes it into the file)";
  }
  story.rewritten.emplace_back(kRule);
  story.rewritten.insert(story.rewritten.end(), out.begin(), out.end());
  return at;
}

}  // namespace

Command::Command(std::string_view line) {
  auto parts = split(line);
  if (parts.empty()) return;
  name_ = parts.front();
  for (std::size_t i = 1; i != parts.size(); ++i) {
    const auto equals = parts[i].find('=');
    if (equals == std::string::npos)
      words_.push_back(parts[i]);
    else
      fields_.emplace_back(parts[i].substr(0, equals), parts[i].substr(equals + 1));
  }
}

const std::string* Command::find(std::string_view field) const {
  asked_.emplace(field);
  for (const auto& [name, value] : fields_)
    if (name == field) return &value;
  return nullptr;
}

bool Command::has(std::string_view field) const { return find(field) != nullptr; }

bool Command::word(std::string_view word) const {
  asked_.emplace(word);
  return std::find(words_.begin(), words_.end(), word) != words_.end();
}

std::vector<std::string> Command::words() const {
  asked_.insert(words_.begin(), words_.end());
  return words_;
}

std::string Command::text(std::string_view field) const {
  if (const auto* value = find(field)) return *value;
  complain(name_ + " needs " + std::string(field) + "=");
  return {};
}

std::int64_t Command::number(std::string_view field) const {
  const auto digits = text(field);
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc() || end != digits.data() + digits.size())
    complain(name_ + ": " + std::string(field) + " is not a number: '" + digits + "'");
  return value;
}

std::string Command::text_or(std::string_view field, std::string fallback) const {
  return has(field) ? text(field) : std::move(fallback);
}

std::int64_t Command::number_or(std::string_view field, std::int64_t fallback) const {
  return has(field) ? number(field) : fallback;
}

std::vector<std::string> Command::list(std::string_view field) const {
  std::vector<std::string> items;
  const auto* value = find(field);
  if (!value || value->empty()) return items;
  std::string_view rest = *value;
  for (auto comma = rest.find(','); comma != rest.npos; comma = rest.find(',')) {
    items.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(comma + 1);
  }
  items.emplace_back(rest);
  return items;
}

std::vector<std::string> Command::complaints() const {
  auto out = complaints_;
  for (const auto& [name, value] : fields_)
    if (!asked_.contains(name)) out.push_back(name_ + " does not know " + name + "=");
  for (const auto& word : words_)
    if (!asked_.contains(word)) out.push_back(name_ + " does not know the word " + word);
  return out;
}

void play(const std::string& path, const Perform& perform) {
  Story story{.path = path, .lines = read_lines(path)};
  bool any = false;
  for (std::size_t at = 0; at != story.lines.size();) {
    if (story.lines[at].empty() || story.lines[at][0] == '#') {
      story.rewritten.push_back(story.lines[at++]);
      continue;
    }
    any = true;
    at = play_block(story, at, perform);
  }
  EXPECT_TRUE(any) << path << " has no command";
  if (story.differs && std::getenv("WEIR_REWRITE")) {
    std::ofstream out(path, std::ios::trunc);
    out << joined(story.rewritten);
    EXPECT_TRUE(out.flush().good()) << "rewriting " << path;
  }
}

std::vector<std::string> stories_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace weir::transcript
