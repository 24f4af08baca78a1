#include "weir/connectors/collect/collect_sink.h"

#include <gtest/gtest.h>

#include "weir/connectors/api/sink_contract.h"

namespace weir::connectors {
namespace {

class CollectWorld final : public SinkWorld {
 public:
  std::shared_ptr<const Sink<std::string>> make_sink() const override {
    return std::make_shared<const CollectSink<std::string>>(collected_);
  }
  Lines visible() override {
    const auto values = collected_->values();
    return {values.begin(), values.end()};
  }

 private:
  const std::shared_ptr<Collected<std::string>> collected_ =
      std::make_shared<Collected<std::string>>();
};

INSTANTIATE_TEST_SUITE_P(Collect, SinkContract,
                         testing::Values([] { return std::make_unique<CollectWorld>(); }));

}  // namespace
}  // namespace weir::connectors
