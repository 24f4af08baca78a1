#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weir::bench {

enum class Better { kHigher, kLower };

// A line of the table: what Weir reaches, what it is compared with, what was to be reached.
//
//   Units   of weir and reference; goal and better speak of the ratio weir / reference, or of weir where there is no
//           reference
struct Row {
  std::string name;
  std::string unit;
  double weir = 0;
  std::optional<double> reference;
  std::optional<double> goal;
  Better better = Better::kHigher;

  std::optional<double> ratio() const {
    return reference ? std::optional(weir / *reference) : std::nullopt;
  }
};

// Figures by name, one for each repetition.
class Samples {
 public:
  void add(const std::string& name, double value) { values_[name].push_back(value); }
  double median(const std::string& name) const;
  double least(const std::string& name) const;
  bool has(const std::string& name) const { return values_.contains(name); }

 private:
  std::map<std::string, std::vector<double>> values_;
};

void print_rows(const std::vector<Row>& rows);
// {"rows":[{"case","unit","weir","reference","ratio","goal","better"}...]}; false where the file cannot be written.
bool write_json(const std::vector<Row>& rows, const std::string& path);

}  // namespace weir::bench
