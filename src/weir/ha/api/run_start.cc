#include "weir/ha/api/run_start.h"

#include <chrono>

namespace weir::ha {
namespace {

std::string two_digits(unsigned value) { return (value < 10 ? "0" : "") + std::to_string(value); }

}  // namespace

Start decide_start(const std::optional<RunRecord>& found, const StartOptions& options,
                   JobId fresh) {
  if (!found || options.restart) return NewRun{fresh};
  if (!found->result) return ResumeRun{found->job, found->newest};
  std::string sentence =
      "Job '" + options.job_name + "' finished at " + utc_text(found->result->finished_at);
  if (!found->result->summary.empty()) sentence += " (" + found->result->summary + ")";
  return AlreadyFinished{*found->result,
                         sentence + ". Nothing is left to do; --restart runs it anew."};
}

std::string utc_text(WallTime time) {
  using namespace std::chrono;
  const sys_time<milliseconds> at{milliseconds(time.unix_ms)};
  const auto day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<seconds>(at - day));
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two_digits(static_cast<unsigned>(date.month())) + "-" +
         two_digits(static_cast<unsigned>(date.day())) + " " +
         two_digits(static_cast<unsigned>(clock.hours().count())) + ":" +
         two_digits(static_cast<unsigned>(clock.minutes().count())) + ":" +
         two_digits(static_cast<unsigned>(clock.seconds().count())) + " UTC";
}

}  // namespace weir::ha
