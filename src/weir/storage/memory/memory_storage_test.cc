#include "weir/storage/memory/memory_storage.h"

#include "weir/storage/api/storage_contract.h"

namespace weir::storage {
namespace {

class MemoryWorld final : public StorageWorld {
 public:
  CheckpointStorage& storage() override { return storage_; }
  std::vector<std::string> names() override {
    std::vector<std::string> out;
    for (const auto& path : vault_->names("run/")) out.push_back(path.substr(4));
    return out;
  }
  void overwrite(const std::string& name, Bytes bytes) override {
    vault_->put("run/" + name, std::move(bytes));
  }
  void erase(const std::string& name) override { vault_->erase("run/" + name); }

 private:
  const std::shared_ptr<MemoryVault> vault_ = std::make_shared<MemoryVault>();
  MemoryStorage storage_{vault_, "run"};
};

INSTANTIATE_TEST_SUITE_P(Memory, CheckpointStorageContract,
                         testing::Values([] { return std::make_unique<MemoryWorld>(); }));

TEST(MemoryStorage, TheVaultOutlivesTheStorageAndKeepsRunsApart) {
  const auto vault = std::make_shared<MemoryVault>();
  ASSERT_TRUE(MemoryStorage(vault, "a").publish({1}, bytes_of("of a")));
  ASSERT_TRUE(MemoryStorage(vault, "b").publish({1}, bytes_of("of b")));
  MemoryStorage again(vault, "a");
  EXPECT_EQ(text_of(*again.read_metadata({1})), "of a");
  EXPECT_EQ(again.sweep({}, {2})->size(), 1u);
  EXPECT_TRUE(MemoryStorage(vault, "b").read_metadata({1}));
}

}  // namespace
}  // namespace weir::storage
