#include "tests/e2e/visible_counts.h"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace e2e {
namespace {

using weir::Code;
using weir::Error;
using weir::Status;

// The next word of a line, taken from it.
std::string_view word_of(std::string_view& line) {
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Error wrong(const std::string& place, const std::string& what) {
  return {Code::kCorrupt, "the visible output, " + place + ": " + what};
}

}  // namespace

Status VisibleCounts::scan() {
  WEIR_ASSIGN(const auto first, list());
  // Everything that preceded what the first listing saw is seen by the second.
  WEIR_ASSIGN(const auto second, list());
  for (const auto& [part, size] : sizes_) {
    const auto found = second.find(part);
    if (found == second.end()) return wrong(path_of(part), "it has vanished");
    if (found->second != size) return wrong(path_of(part), "it has changed its size");
  }
  std::map<std::uint64_t, std::uint64_t> up_to;
  for (const auto& [part, size] : first) up_to[part.subtask] = part.checkpoint;
  for (const auto& [part, size] : second) {
    const auto limit = up_to.find(part.subtask);
    if (limit == up_to.end() || part.checkpoint > limit->second || sizes_.contains(part)) continue;
    WEIR_TRY(read(part));
  }
  return weir::ok();
}

Status VisibleCounts::check_end(std::uint64_t keys) const {
  if (ends_.size() != keys)
    return wrong(directory_, std::to_string(ends_.size()) + " keys were told at the end, want " +
                                 std::to_string(keys));
  const auto want = ends_.begin()->second;
  for (const auto& [key, count] : ends_)
    if (count != want)
      return wrong(directory_, "key " + std::to_string(key) + " ends with " +
                                   std::to_string(count) + ", others with " + std::to_string(want));
  for (const auto& [key, count] : counts_)
    if (count != want)
      return wrong(directory_, "key " + std::to_string(key) + " was last told with " +
                                   std::to_string(count) + ", want " + std::to_string(want));
  return weir::ok();
}

std::uint64_t VisibleCounts::highest() const {
  std::uint64_t highest = 0;
  for (const auto& [key, count] : counts_) highest = std::max(highest, count);
  return highest;
}

weir::Result<std::map<VisibleCounts::Part, std::uint64_t>> VisibleCounts::list() const {
  std::map<Part, std::uint64_t> parts;
  std::error_code error;
  if (!std::filesystem::exists(directory_, error)) return parts;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with('.')) continue;
    Part part;
    if (std::sscanf(name.c_str(), "part-%lu-%lu", &part.subtask, &part.checkpoint) != 2)
      return wrong(directory_, "it holds " + name + ", which is no part");
    const auto size = entry.file_size(error);
    if (error) return wrong(directory_, "looking at " + name + ": " + error.message());
    parts[part] = size;
  }
  if (error) return wrong(directory_, "listing it: " + error.message());
  return parts;
}

Status VisibleCounts::read(const Part& part) {
  const auto path = path_of(part);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) return wrong(path, "it cannot be read");
  const auto text = std::move(bytes).str();
  std::string_view rest = text;
  for (std::uint64_t number = 1; !rest.empty(); ++number) {
    const auto end = rest.find('\n');
    const auto place = path + " line " + std::to_string(number);
    if (end == std::string_view::npos)
      return wrong(place, "it is torn: '" + std::string(rest) + "'");
    WEIR_TRY(take(place, rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  sizes_[part] = text.size();
  return weir::ok();
}

Status VisibleCounts::take(const std::string& place, std::string_view line) {
  auto rest = line;
  const auto what = word_of(rest);
  const auto key = number_in(word_of(rest));
  const auto count = number_in(word_of(rest));
  if (!key || !count || !rest.empty() || (what != "count" && what != "end"))
    return wrong(place, "it says nothing that makes sense: '" + std::string(line) + "'");
  ++lines_;
  if (what == "end") {
    if (!ends_.emplace(*key, *count).second)
      return wrong(place, "doubled: '" + std::string(line) + "'");
    return weir::ok();
  }
  auto& last = counts_[*key];
  if (*count <= last)
    return wrong(place, "doubled: '" + std::string(line) + "' after " + std::to_string(last));
  if (*count != last + 1)
    return wrong(place, "lost: '" + std::string(line) + "' after " + std::to_string(last));
  last = *count;
  return weir::ok();
}

std::string VisibleCounts::path_of(const Part& part) const {
  return directory_ + "/part-" + std::to_string(part.subtask) + "-" +
         std::to_string(part.checkpoint);
}

}  // namespace e2e
