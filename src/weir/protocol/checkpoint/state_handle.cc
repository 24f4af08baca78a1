#include "weir/protocol/checkpoint/state_handle.h"

namespace weir::checkpoint {
namespace {

void append_file(const StateHandle& handle, std::vector<FileHandle>& out) {
  if (const auto* file = std::get_if<FileHandle>(&handle)) out.push_back(*file);
}

}  // namespace

void append_files(const OperatorSubtaskState& state, std::vector<FileHandle>& out) {
  for (const auto& keyed : state.keyed) append_file(keyed.where, out);
  if (state.lists) append_file(*state.lists, out);
}

void append_files(const SubtaskSnapshot& snapshot, std::vector<FileHandle>& out) {
  for (const auto& state : snapshot.operators) append_files(state, out);
}

}  // namespace weir::checkpoint
