#include "weir/storage/memory/memory_storage.h"

#include "weir/storage/api/storage_contract.h"

namespace weir::storage {
namespace {

class MemoryWorld final : public StorageWorld {
 public:
  CheckpointStorage& storage() override { return storage_; }
  std::vector<std::string> names() override { return names_below("job/run/"); }
  void overwrite(const std::string& name, Bytes bytes) override {
    vault_->put("job/run/" + name, std::move(bytes));
  }
  void erase(const std::string& name) override { vault_->erase("job/run/" + name); }
  std::vector<std::string> names_of_job() override { return names_below("job/"); }
  void put_in_job(const std::string& name, Bytes bytes) override {
    vault_->put("job/" + name, std::move(bytes));
  }

 private:
  std::vector<std::string> names_below(const std::string& root) const {
    std::vector<std::string> out;
    for (const auto& path : vault_->names(root)) out.push_back(path.substr(root.size()));
    return out;
  }

  const std::shared_ptr<MemoryVault> vault_ = std::make_shared<MemoryVault>();
  MemoryStorage storage_{vault_, "job/run"};
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
