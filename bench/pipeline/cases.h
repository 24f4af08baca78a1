#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/support/rows.h"

namespace weir::bench {

// One side of a comparison: runs once and adds its figures.
struct Case {
  std::string name;
  std::function<void(Samples&)> run;
};

// What a file of this folder gives to the bench: cases, which are run in turn and several times over, and the rows that
// their medians make.
struct Chapter {
  std::vector<Case> cases;
  std::function<std::vector<Row>(const Samples&)> rows;
};

// How large the runs are: whole, or small enough to see that everything works.
struct Size {
  bool is_quick = false;
  std::uint64_t scaled(std::uint64_t n) const { return is_quick ? n / 50 : n; }
};

Chapter chain_chapter(Size size);
Chapter keyed_chapter(Size size);
Chapter cut_chapter(Size size);
Chapter entry_bytes_chapter(Size size);

}  // namespace weir::bench
