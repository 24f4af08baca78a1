#include "tests/support/coordinator_world.h"

namespace weir::checkpoint {
namespace {

TEST(CheckpointCoordinatorRandom, KeepsItsPromisesWhateverHappens) {
  for (std::uint64_t seed = 0; seed != 3000; ++seed) {
    const auto wrong = World(seed).run();
    ASSERT_EQ(wrong, "") << "seed=" << seed;
  }
}

#if WEIR_MUTANTS
// The world above would be no good if it did not notice these.
class CheckpointMutant : public ::testing::TestWithParam<Mutant> {};

TEST_P(CheckpointMutant, IsNoticed) {
  switch_on(GetParam());
  std::string wrong;
  for (std::uint64_t seed = 0; seed != 200 && wrong.empty(); ++seed) wrong = World(seed).run();
  switch_on(Mutant::kNone);
  EXPECT_NE(wrong, "");
}

INSTANTIATE_TEST_SUITE_P(Both, CheckpointMutant,
                         ::testing::Values(Mutant::kLateAckAccepted, Mutant::kCheckpointIdReused));
#endif

}  // namespace
}  // namespace weir::checkpoint
