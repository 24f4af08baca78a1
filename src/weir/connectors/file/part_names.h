#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weir/base/id.h"

namespace weir::connectors {

// What the names in a sink's directory say. No two parts of a job ever have the same name: an attempt writes one staged
// part after each barrier, checkpoint ids are never used twice, and neither are an epoch's attempts.
//
//   Source  docs/formats/sink_parts.md

// A part that is being written, or waits for its checkpoint.
struct StagedName {
  JobId job;
  OperatorId sink;
  SubtaskIndex subtask;
  Epoch epoch;
  AttemptId attempt;
  CheckpointId
      after;  // the newest barrier before its first line, or the checkpoint the attempt began from; 0: neither

  std::string text() const;
  static std::optional<StagedName> parse(std::string_view text);
  friend bool operator==(const StagedName&, const StagedName&) = default;
};

// A part that everybody may read.
struct VisibleName {
  SubtaskIndex subtask;
  CheckpointId checkpoint;  // at whose barrier it was staged

  std::string text() const;
  static std::optional<VisibleName> parse(std::string_view text);
  friend bool operator==(const VisibleName&, const VisibleName&) = default;
};

// What the owner file is before it has its name.
struct OwnerDraftName {
  JobId job;
  OperatorId sink;
  SubtaskIndex subtask;
  Epoch epoch;
  AttemptId attempt;

  std::string text() const;
  static std::optional<OwnerDraftName> parse(std::string_view text);
  friend bool operator==(const OwnerDraftName&, const OwnerDraftName&) = default;
};

inline constexpr std::string_view kOwnerName = ".weir-sink";
// Its lock is held by the process that writes to the directory; its content means nothing.
inline constexpr std::string_view kHoldName = ".weir-sink-lock";

}  // namespace weir::connectors
