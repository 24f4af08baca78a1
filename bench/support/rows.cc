#include "bench/support/rows.h"

#include <algorithm>
#include <cstdio>

namespace weir::bench {
namespace {

std::string number(const std::optional<double>& value) {
  if (!value) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *value);
  return text;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

double Samples::median(const std::string& name) const { return median_of(values_.at(name)); }

double Samples::median_ratio(const std::string& name, const std::string& reference) const {
  auto ratios = values_.at(name);
  const auto& references = values_.at(reference);
  for (std::size_t i = 0; i != ratios.size(); ++i) ratios[i] /= references[i];
  return median_of(std::move(ratios));
}

Row compare(const Samples& samples, const Comparison& of) {
  return {.name = of.name,
          .unit = of.unit,
          .weir = samples.median(of.weir),
          .goal = of.goal,
          .better = of.better,
          .reference = samples.median(of.reference),
          .ratio = samples.median_ratio(of.weir, of.reference)};
}

void print_rows(const std::vector<Row>& rows) {
  std::printf("%-64s %10s %10s %10s %7s  %s\n", "case", "unit", "weir", "reference", "ratio",
              "goal");
  for (const auto& row : rows) {
    const auto judged = row.ratio.value_or(row.weir);
    std::string verdict;
    if (row.goal) {
      const bool reached =
          row.better == Better::kHigher ? judged >= *row.goal : judged <= *row.goal;
      verdict = std::string(row.better == Better::kHigher ? ">= " : "<= ") + number(row.goal) +
                (reached ? "  reached" : "  MISSED");
    }
    char weir[32];
    char reference[32] = "";
    char ratio[32] = "";
    std::snprintf(weir, sizeof weir, "%.4g", row.weir);
    if (row.reference) std::snprintf(reference, sizeof reference, "%.4g", *row.reference);
    if (row.ratio) std::snprintf(ratio, sizeof ratio, "%.2f", *row.ratio);
    std::printf("%-64s %10s %10s %10s %7s  %s\n", row.name.c_str(), row.unit.c_str(), weir,
                reference, ratio, verdict.c_str());
  }
}

bool write_json(const std::vector<Row>& rows, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return false;
  std::fprintf(file, "{\"rows\":[");
  for (std::size_t i = 0; i != rows.size(); ++i) {
    const auto& row = rows[i];
    std::fprintf(
        file,
        "%s\n  "
        "{\"case\":\"%s\",\"unit\":\"%s\",\"weir\":%s,\"reference\":%s,\"ratio\":%s,\"goal\":%s,"
        "\"better\":\"%s\"}",
        i ? "," : "", row.name.c_str(), row.unit.c_str(), number(row.weir).c_str(),
        number(row.reference).c_str(), number(row.ratio).c_str(), number(row.goal).c_str(),
        row.better == Better::kHigher ? "higher" : "lower");
  }
  std::fprintf(file, "\n]}\n");
  return std::fclose(file) == 0;
}

}  // namespace weir::bench
