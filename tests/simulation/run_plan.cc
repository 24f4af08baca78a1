#include "tests/simulation/run_plan.h"

namespace weir::simulation {
namespace {

// Small limits, so that everything that can be full is full now and then.
void draw_limits(cluster::EngineOptions& engine, Random& random) {
  auto& limits = engine.limits;
  limits.gate.batches_per_channel = static_cast<std::uint32_t>(random.between(1, 3));
  limits.gate.floating_batches = static_cast<std::uint32_t>(random.between(0, 3));
  limits.moves_per_step = static_cast<std::uint32_t>(random.between(1, 8));
  limits.batch_records = static_cast<std::uint32_t>(random.between(1, 16));
  engine.staging.chunk_bytes = std::size_t{1} << random.between(9, 13);
  engine.staging.limit_bytes =
      engine.staging.chunk_bytes * static_cast<std::uint64_t>(random.between(3, 12));
  engine.staging.spare_chunks = static_cast<std::size_t>(random.between(1, 3));
}

void draw_checkpoints(checkpoint::CheckpointOptions& checkpoints, Random& random) {
  checkpoints.interval = Duration::millis(random.between(10, 60));
  if (random.one_in(4)) checkpoints.min_pause = Duration::millis(random.between(1, 30));
  checkpoints.timeout =
      random.one_in(4) ? Duration::millis(random.between(10, 60)) : Duration::seconds(10);
  checkpoints.tolerable_failures =
      static_cast<std::uint32_t>(random.one_in(2) ? 0 : random.between(1, 5));
  checkpoints.retained = static_cast<std::uint32_t>(random.between(1, 3));
  if (checkpoints.min_pause == Duration{} && random.one_in(4)) checkpoints.max_concurrent = 2;
}

// Beside the machine's own profile one kind of fault is frequent, so that every phase meets every kind.
void make_one_fault_frequent(sim::SimOptions& sim, Random& random) {
  const auto often = static_cast<std::uint64_t>(random.between(8, 200));
  switch (random.below(8)) {
    case 0:
      sim.read_error_one_in = often;
      break;
    case 1:
      sim.write_error_one_in = 1 + often / 2;
      break;
    case 2:
      sim.sync_error_one_in = often;
      break;
    case 3:
      sim.name_error_one_in = 1 + often / 3;
      break;
    case 4:
      sim.disk_full_one_in = 1 + often / 16;
      break;
    case 5:
      sim.wall_step_one_in = 2;
      break;
    default:
      break;
  }
}

Death suspension(Duration after) {
  return {.kind = Death::Kind::kSuspended,
          .after = after,
          .file_call = std::nullopt,
          .power = std::nullopt};
}

// One life, in which every failure means to begin anew, and no crash: what it left would be another run's.
void take_no_checkpoints(RunPlan& plan, Random& random) {
  plan.engine.checkpoints.interval.reset();
  plan.scales.resize(1);
  plan.deaths = {{.kind = Death::Kind::kNone,
                  .after = Duration::millis(random.between(100, 3000)),
                  .file_call = std::nullopt,
                  .power = std::nullopt}};
  // The function throws at the same record in each attempt, which would be the last one of all.
  plan.throw_one_in = 0;
}

}  // namespace

std::string_view name_of(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kKeyedCount:
      return "keyed count";
    case WorkloadKind::kLedger:
      return "ledger";
    case WorkloadKind::kRing:
      return "ring";
    case WorkloadKind::kTotals:
      return "totals";
  }
  return "?";
}

RunPlan draw_plan(std::uint64_t seed) {
  Random random(seed ^ 0x77656972);
  RunPlan plan{.seed = seed};
  plan.workload = kWorkloads[random.below(kWorkloads.size())];
  plan.records = static_cast<std::uint64_t>(random.between(500, 4000));
  plan.keys = static_cast<std::uint64_t>(random.between(1, 300));
  plan.sim = sim::draw_profile(seed);
  // Slow enough that a job lives to see many checkpoints.
  plan.sim.step_cost.max = plan.sim.step_cost.max + Duration::micros(random.between(100, 1500));
  make_one_fault_frequent(plan.sim, random);
  plan.engine.job_name = "simulated";
  plan.engine.restart_strategy =
      failover::FixedDelayRestart{.delay = Duration::millis(random.between(0, 50))};
  plan.engine.watchdog.aborts = true;
  draw_checkpoints(plan.engine.checkpoints, random);
  draw_limits(plan.engine, random);

  plan.inline_bytes_max = random.one_in(3) ? storage::kInlineBytesMax
                                           : static_cast<std::size_t>(random.between(0, 300));
  const bool rescales = random.one_in(3);
  const auto draw_scale = [&] {
    return Scale{.sources = static_cast<std::uint32_t>(random.between(1, 3)),
                 .keyed = static_cast<std::uint32_t>(random.between(1, 4))};
  };
  plan.scales.push_back(draw_scale());
  const auto deaths = random.below(5);
  for (std::uint64_t i = 0; i != deaths; ++i) {
    Death death{.kind = Death::Kind::kCrash,
                .after = Duration::millis(random.between(1, 600)),
                .file_call = std::nullopt,
                .power = std::nullopt};
    // Some right at the start, while the process opens what it finds.
    if (random.one_in(2))
      death.file_call = static_cast<std::uint64_t>(random.between(1, random.one_in(4) ? 30 : 1500));
    if (!random.one_in(3)) {
      constexpr std::array kModes = {sim::CrashMode::kRandom, sim::CrashMode::kRandom,
                                     sim::CrashMode::kKeepNothing, sim::CrashMode::kKeepEverything};
      death.power = kModes[random.below(kModes.size())];
    }
    plan.deaths.push_back(death);
    plan.scales.push_back(rescales ? draw_scale() : plan.scales.front());
  }
  // Some throw among the first records, before the last task has been opened.
  if (random.one_in(3))
    plan.throw_one_in = static_cast<std::uint64_t>(random.one_in(8) ? random.between(1, 5)
                                                                    : random.between(20, 1000));
  for (auto& death : plan.deaths)
    if (!death.file_call && random.one_in(4)) death = suspension(death.after);
  if (random.one_in(16)) take_no_checkpoints(plan, random);
  return plan;
}

RunPlan tiny_plan(WorkloadKind kind) {
  RunPlan plan{
      .seed = 1 + static_cast<std::uint64_t>(kind), .workload = kind, .records = 24, .keys = 5};
  plan.sim.step_cost = {Duration::micros(50), Duration::millis(2)};
  plan.engine.job_name = "simulated";
  plan.engine.restart_strategy = failover::FixedDelayRestart{.delay = Duration::millis(1)};
  plan.engine.checkpoints.interval = Duration::millis(10);
  plan.engine.checkpoints.tolerable_failures = 3;
  plan.engine.limits.batch_records = 2;
  plan.engine.limits.moves_per_step = 1;
  plan.engine.limits.gate = {.batches_per_channel = 1, .floating_batches = 1};
  plan.engine.watchdog.aborts = true;
  plan.scales = {{.sources = 1, .keyed = kind == WorkloadKind::kLedger ? 2u : 1u}};
  return plan;
}

}  // namespace weir::simulation
