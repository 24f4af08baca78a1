#pragma once

#include <string>

#include "weir/weir.h"

namespace examples {

// A word of a line, in small letters.
struct Word {
  weir::Text text;
};

// How often a word has been seen so far.
struct WordCount {
  weir::Text word;
  std::uint64_t count = 0;
};

inline bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// The words [A-Za-z]+ of a line; everything else parts them, whatever its encoding.
inline void split_words(const weir::Text& line, weir::Collector<Word>& out) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (;;) {
    while (at != end && !is_letter(*at)) ++at;
    if (at == end) return;
    const char* const begin = at;
    while (at != end && is_letter(*at)) ++at;
    const auto size = static_cast<std::size_t>(at - begin);
    char* const folded = out.writable(size);
    for (std::size_t i = 0; i != size; ++i) folded[i] = static_cast<char>(begin[i] | 0x20);
    out.append().text = weir::Text({folded, size});
  }
}

// Counts a word and tells of every 1000th time; at the end of the last count, unless it was told just then.
struct CountWords {
  using Output = WordCount;
  static constexpr std::uint64_t kEvery = 1000;

  struct State {
    weir::ValueState<std::uint64_t> count{"count"};
  };

  void process(const Word& word, State& state, weir::Collector<WordCount>& out) {
    const auto count = ++state.count.update();
    if (count % kEvery == 0) out.emit({word.text, count});
  }
  void on_end(const weir::Text& word, State& state, weir::Collector<WordCount>& out) {
    const auto count = state.count.get_or(0);
    if (count % kEvery != 0) out.emit({word, count});
  }
};

struct WordCountOptions {
  std::string input;
  std::string output;
  std::uint64_t bytes_per_second = 0;  // 0: as fast as it goes
  weir::TextFilesOptions files = {};
};

// Text files in, lines "word count" out.
inline void word_count(weir::Environment& env, const WordCountOptions& options) {
  env.from_source(
         weir::file_lines(options.input, {.max_bytes_per_second = options.bytes_per_second}),
         "lines")
      .uid("lines")
      .flat_map<Word>(split_words)
      .name("words")
      .key_by(&Word::text)
      .process(CountWords{})
      .name("count")
      .uid("count")
      .sink_to(weir::text_files<WordCount>(
          options.output,
          [](const WordCount& counted, std::string& line) {
            line = counted.word.view();
            line += ' ';
            line += std::to_string(counted.count);
          },
          options.files))
      .uid("out");
}

}  // namespace examples
