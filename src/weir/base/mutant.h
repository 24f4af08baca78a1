#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace weir {

// A bug that is compiled into the test build, switched off. A test run switches each on in turn and
// must notice; if it does not, the tests are the bug.
enum class Mutant : unsigned char {
  kNone,
  kRecordBetweenBarrierAndCut,
  kHeldBackChannelRead,
  kDataSyncDropped,
  kMetadataSyncDropped,
  kDirectorySyncDropped,
  kCommitBeforeCompletion,
  kCommitForgottenAfterRestore,
  kStagedOutputNotSynced,
  kSourceOffsetOneBatchAhead,
  kLateAckAccepted,
  kCheckpointIdReused,
};

inline constexpr std::array kMutants = {
    std::pair{Mutant::kRecordBetweenBarrierAndCut,
              std::string_view("record-between-barrier-and-cut")},
    std::pair{Mutant::kHeldBackChannelRead, std::string_view("held-back-channel-read")},
    std::pair{Mutant::kDataSyncDropped, std::string_view("data-sync-dropped")},
    std::pair{Mutant::kMetadataSyncDropped, std::string_view("metadata-sync-dropped")},
    std::pair{Mutant::kDirectorySyncDropped, std::string_view("directory-sync-dropped")},
    std::pair{Mutant::kCommitBeforeCompletion, std::string_view("commit-before-completion")},
    std::pair{Mutant::kCommitForgottenAfterRestore,
              std::string_view("commit-forgotten-after-restore")},
    std::pair{Mutant::kStagedOutputNotSynced, std::string_view("staged-output-not-synced")},
    std::pair{Mutant::kSourceOffsetOneBatchAhead,
              std::string_view("source-offset-one-batch-ahead")},
    std::pair{Mutant::kLateAckAccepted, std::string_view("late-ack-accepted")},
    std::pair{Mutant::kCheckpointIdReused, std::string_view("checkpoint-id-reused")},
};

#if WEIR_MUTANTS
namespace internal {
// Set where no engine runs: before one is built, or between two.
inline Mutant g_mutant = Mutant::kNone;
}  // namespace internal
// Whether this bug is switched on. Always false, at compile time, outside the test build.
inline bool mutant(Mutant m) { return internal::g_mutant == m; }
inline void switch_on(Mutant m) { internal::g_mutant = m; }
#else
constexpr bool mutant(Mutant) { return false; }
#endif

}  // namespace weir
