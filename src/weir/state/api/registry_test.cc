#include "weir/state/api/registry.h"

namespace weir::state {
namespace {

struct NoBackend final : StateBackend {
  Result<std::unique_ptr<KeyedBackend>> open(const KeyedBackendContext&) override {
    return Error{Code::kInvalid, "opened"};
  }
};

TEST(Registry, MakesWhatANameStandsForEachTimeAnew) {
  Registry registry;
  registry.add("none",
               []() -> std::unique_ptr<StateBackend> { return std::make_unique<NoBackend>(); });
  const auto first = registry.make("none");
  const auto second = registry.make("none");
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_NE(dynamic_cast<NoBackend*>(first->get()), nullptr);
  EXPECT_NE(first->get(), second->get());
}

TEST(Registry, ANameThatNobodyHasIsAnErrorThatSaysWhichThereAre) {
  Registry registry;
  const auto make = []() -> std::unique_ptr<StateBackend> { return nullptr; };
  registry.add("two", make);
  registry.add("one", make);
  const auto missing = registry.make("rocks");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kInvalid);
  EXPECT_EQ(missing.error().what, "there is no state backend 'rocks'; there is one, two");
}

TEST(RegistryDeathTest, ANameIsAddedOnce) {
  Registry registry;
  const auto make = []() -> std::unique_ptr<StateBackend> { return nullptr; };
  registry.add("one", make);
  EXPECT_DEATH(registry.add("one", make), "is_new");
}

}  // namespace
}  // namespace weir::state
