// The table of "how fast and how large": bench_pipeline [--json FILE] [--quick] [--times N] [--only WORD]

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/pipeline/cases.h"

using namespace weir::bench;

int main(int argc, char** argv) {
  std::string json;
  std::string only;
  int times = 5;
  Size size;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const bool has_value = i + 1 < argc;
    if (option == "--quick") {
      size.is_quick = true;
    } else if (option == "--json" && has_value) {
      json = argv[++i];
    } else if (option == "--only" && has_value) {
      only = argv[++i];
    } else if (option == "--times" && has_value) {
      times = std::atoi(argv[++i]);
    } else {
      std::fprintf(stderr,
                   "usage: bench_pipeline [--json FILE] [--quick] [--times N] [--only WORD]\n");
      return 2;
    }
  }
  std::vector<Chapter> chapters;
  const auto add = [&](const char* word, Chapter chapter) {
    if (only.empty() || only == word) chapters.push_back(std::move(chapter));
  };
  add("chain", chain_chapter(size));
  add("keyed", keyed_chapter(size));
  add("cut", cut_chapter(size));
  add("bytes", entry_bytes_chapter(size));

  Samples samples;
  const auto load = [] {
    double average = 0;
    return getloadavg(&average, 1) == 1 ? average : -1;
  };
  std::printf("load before: %.2f\n", load());
  for (int repetition = 0; repetition != times; ++repetition) {
    for (const auto& chapter : chapters) {
      for (const auto& c : chapter.cases) {
        std::fprintf(stderr, "%d/%d %s\n", repetition + 1, times, c.name.c_str());
        c.run(samples);
      }
    }
  }
  std::vector<Row> rows;
  for (const auto& chapter : chapters) {
    const auto more = chapter.rows(samples);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  print_rows(rows);
  std::printf(
      "medians of %d runs, cases in turn; a ratio is the median of those of each turn; load after: "
      "%.2f\n",
      times, load());
  if (!json.empty() && !write_json(rows, json)) {
    std::fprintf(stderr, "%s cannot be written\n", json.c_str());
    return 1;
  }
  return 0;
}
