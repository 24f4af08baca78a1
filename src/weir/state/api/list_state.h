#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/base/bytes.h"
#include "weir/base/result.h"
#include "weir/types/schema.h"
#include "weir/types/serializer.h"

namespace weir::state {

// A list of an operator, whatever its elements are: what OperatorLists sees of it.
//
//   Errors  restore(): an element that is none of the list's type
//   Thread  the Subtask's; restore() on the I/O pool, before anything else
class AnyListState {
 public:
  explicit AnyListState(std::string name) : name_(std::move(name)) {}
  virtual ~AnyListState() = default;

  const std::string& name() const { return name_; }
  virtual Schema schema() const = 0;
  virtual Status restore(const std::vector<Bytes>& elements) = 0;
  virtual std::vector<Bytes> capture() const = 0;

 private:
  std::string name_;
};

// Elements of one type that an operator keeps apart from keys: positions of a source, committables,
// what a user's operator must know again. A member of the operator, under a name that is its own
// within it:
//
//   Status open(OperatorContext& context) override { return context.lists.declare(offsets_); }
//   SnapshotWork snapshot(CheckpointId) override { return captured(context_->lists.capture()); }
//   ListState<Offset> offsets_{"offsets"};
//
// Declared, it holds what the restored checkpoint has for this Subtask. At another parallelism the
// elements of all Subtasks are dealt anew, in their order: each goes to exactly one.
//
//   Source  Flink: ListState of an OperatorStateStore, SPLIT_DISTRIBUTE
template <Serializable T>
class ListState final : public AnyListState {
 public:
  using Value = T;
  using AnyListState::AnyListState;
  static_assert(!kHasText<T>,
                "a state's value must own its bytes: use std::string in place of weir::Text");

  const std::vector<T>& get() const { return values_; }
  bool is_empty() const { return values_.empty(); }
  void add(T value) { values_.push_back(std::move(value)); }
  void update(std::vector<T> values) { values_ = std::move(values); }
  void clear() { values_.clear(); }

  Schema schema() const override { return schema_of<T>(); }
  Status restore(const std::vector<Bytes>& elements) override {
    for (const auto& element : elements) {
      WEIR_ASSIGN(auto value, deserialize<T>(element));
      add(std::move(value));
    }
    return ok();
  }
  std::vector<Bytes> capture() const override {
    std::vector<Bytes> elements;
    for (const auto& value : values_) elements.push_back(serialize(value));
    return elements;
  }

 private:
  std::vector<T> values_;
};

// The same for elements that somebody else serialises: the splits of a source.
class SerialisedListState final : public AnyListState {
 public:
  SerialisedListState(std::string name, Schema schema)
      : AnyListState(std::move(name)), schema_(std::move(schema)) {}

  const std::vector<Bytes>& get() const { return elements_; }
  void update(std::vector<Bytes> elements) { elements_ = std::move(elements); }

  Schema schema() const override { return schema_; }
  Status restore(const std::vector<Bytes>& elements) override {
    elements_ = elements;
    return ok();
  }
  std::vector<Bytes> capture() const override { return elements_; }

 private:
  const Schema schema_;
  std::vector<Bytes> elements_;
};

}  // namespace weir::state
