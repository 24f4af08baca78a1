#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/run_plan.h"
#include "weir/connectors/collect/collect_sink.h"
#include "weir/datastream/program_builder.h"

namespace weir::simulation {

// Lines and how often each is there.
using Lines = std::map<std::string, std::uint64_t>;

// A job whose output is known beforehand, whatever happens to it on the way.
class Workload {
 public:
  virtual ~Workload() = default;
  // Adds the job to the builder. Called once for each life of the process; `into` outlives them all.
  virtual void build(datastream::ProgramBuilder& builder, const RunPlan& plan, const Scale& scale) const = 0;
  // What must be visible in the end, by a naive twin: each line so many times.
  virtual Lines expected(const RunPlan& plan) const = 0;
};

// Where a workload's lines become visible: outside the processes, as a database is.
using Output = std::shared_ptr<connectors::Collected<std::string>>;

std::unique_ptr<Workload> make_workload(WorkloadKind kind, Output output);

// What is wrong with visible lines: a line that should never be there, or is there too often. Empty: nothing.
std::string wrong_in(const Lines& visible, const Lines& expected);
// What is missing at the end. Empty: nothing.
std::string missing_in(const Lines& visible, const Lines& expected);

}  // namespace weir::simulation
