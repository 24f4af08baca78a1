#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weir::bench {

enum class Better { kHigher, kLower };

// A line of the table: what Weir reaches, what it is compared with, what was to be reached.
//
//   Units   of weir and reference; goal and better speak of the ratio, or of weir where there is no reference
struct Row {
  std::string name;
  std::string unit;
  double weir = 0;
  std::optional<double> goal;
  Better better = Better::kHigher;
  std::optional<double> reference = std::nullopt;
  std::optional<double> ratio = std::nullopt;
};

// Figures by name, one for each repetition.
class Samples {
 public:
  void add(const std::string& name, double value) { values_[name].push_back(value); }
  double median(const std::string& name) const;
  // The median of the ratios of each repetition: its two runs stand beside each other in time, so a minute in which the
  // machine is slow counts on both sides.
  double median_ratio(const std::string& name, const std::string& reference) const;
  bool has(const std::string& name) const { return values_.contains(name); }

 private:
  std::map<std::string, std::vector<double>> values_;
};

// One figure beside another.
struct Comparison {
  std::string name;
  std::string unit;
  std::string weir;  // as their samples are called
  std::string reference;
  std::optional<double> goal = std::nullopt;
  Better better = Better::kHigher;
};
Row compare(const Samples& samples, const Comparison& of);

void print_rows(const std::vector<Row>& rows);
// {"rows":[{"case","unit","weir","reference","ratio","goal","better"}...]}; false where the file cannot be written.
bool write_json(const std::vector<Row>& rows, const std::string& path);

}  // namespace weir::bench
