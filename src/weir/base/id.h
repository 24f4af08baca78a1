#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/result.h"

namespace weir {

// A number that means one thing. Ids of different meanings do not mix.
template <class Meaning, class Rep = std::uint64_t>
struct Id {
  Rep value{};
  friend constexpr auto operator<=>(Id, Id) = default;
};

// The number of a checkpoint or savepoint of one job; never used twice, whatever became of it.
using CheckpointId = Id<struct CheckpointMeaning>;
// The place of a JobVertex in its JobGraph.
using VertexId = Id<struct VertexMeaning, std::uint32_t>;
// Which of a task's parallel instances, 0 .. parallelism-1.
using SubtaskIndex = Id<struct SubtaskIndexMeaning, std::uint32_t>;
// Counts the runs of one job: a process start takes the next one and fences all before it.
using Epoch = Id<struct EpochMeaning>;
// Counts the deployments of a job within one epoch.
using AttemptId = Id<struct AttemptMeaning, std::uint32_t>;

// 128 bits that name something for ever, written as 32 hexadecimal digits.
template <class Meaning>
struct WideId {
  std::array<std::uint8_t, 16> bytes{};

  std::string to_hex() const;
  static Result<WideId> from_hex(std::string_view hex);

  friend constexpr auto operator<=>(const WideId&, const WideId&) = default;
};

// A run of a job, from its first start until it has FINISHED. A UUID of version 7.
using JobId = WideId<struct JobMeaning>;
// The name under which an Operator's state is found again: murmur3_128 of its uid.
using OperatorId = WideId<struct OperatorMeaning>;

// The OperatorId of a uid: murmur3_128 (x64 variant, seed 0) of its UTF-8 bytes, as in Flink.
OperatorId operator_id_of(std::string_view uid);

// A JobId from the wall clock (milliseconds since 1970) and 74 random bits: a UUID of version 7.
JobId make_job_id(std::int64_t unix_ms, std::uint64_t random_high, std::uint64_t random_low);

// One Subtask of one deployment: what every message from and to a task carries.
struct ExecutionId {
  VertexId vertex;
  SubtaskIndex subtask;
  AttemptId attempt;
  friend constexpr auto operator<=>(const ExecutionId&, const ExecutionId&) = default;
};

}  // namespace weir
