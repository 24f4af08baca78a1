#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/run_plan.h"
#include "weir/connectors/api/sink.h"
#include "weir/datastream/data_stream.h"

namespace weir::simulation {

// Lines and how often each is there.
using Lines = std::map<std::string, std::uint64_t>;

// A job whose output is known beforehand, whatever happens to it on the way.
class Workload {
 public:
  virtual ~Workload() = default;
  // Puts the job's input, if it lies in files, on the disk before anything starts.
  virtual void prepare(sim::SimDisk&, const RunPlan&) const {}
  // Adds the job to the builder. Called once for each life of the process.
  virtual void build(datastream::ProgramBuilder& builder, const RunPlan& plan,
                     const Scale& scale) const = 0;
  // How many records the source has, each once.
  virtual std::uint64_t source_records(const RunPlan& plan) const { return plan.records; }
  // What must be visible in the end, by a naive twin: each line so many times.
  virtual Lines expected(const RunPlan& plan) const = 0;
};

// The numbers from 0 up, a record each, in so many splits per reader; name and uid are the same. What follows has the
// readers' parallelism.
DataStream<std::uint64_t> numbers_source(datastream::ProgramBuilder& builder, const RunPlan& plan,
                                         const Scale& scale, std::uint32_t splits_per_reader,
                                         const std::string& name);

inline constexpr char kInputPath[] = "input";
// Where a workload's lines become visible: in text files on the simulated disk, in a directory for each of its sinks.
std::shared_ptr<const connectors::Sink<std::string>> line_sink(const std::string& name = "lines");
// What a reader of the output directories sees: whole lines of parts with a visible name.
Lines visible_lines(const sim::SimDisk& disk);

std::unique_ptr<Workload> make_workload(WorkloadKind kind);

// What is wrong with visible lines: a line that should never be there, or is there too often. Empty: nothing.
enum class Repeats : std::uint8_t { kForbidden, kAllowed };
std::string wrong_in(const Lines& visible, const Lines& expected, Repeats repeats);
// What is missing at the end. Empty: nothing.
std::string missing_in(const Lines& visible, const Lines& expected);

}  // namespace weir::simulation
