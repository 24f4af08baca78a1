#include "weir/metrics/registry.h"

namespace weir::metrics {
namespace {

TEST(Registry, SumsWhatIsNamedAlike) {
  Registry registry;
  registry.metric("subtask.sum[0].records_in").add(3);
  registry.metric("subtask.sum[1].records_in").add(4);
  registry.metric("subtask.sum[1].records_out").add(100);
  EXPECT_EQ(registry.sum("subtask.sum", ".records_in"), 7u);
  EXPECT_EQ(registry.sum("", ""), 107u);
}

TEST(Registry, AMetricAskedForAgainIsTheSame) {
  Registry registry;
  registry.metric("a").set(5);
  registry.metric("a").add(1);
  EXPECT_EQ(registry.values().at("a"), 6u);
}

}  // namespace
}  // namespace weir::metrics
