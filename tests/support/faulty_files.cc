#include "tests/support/faulty_files.h"

#include <tuple>

namespace weir::test {

template <class Answer, class Do>
Answer FaultyFiles::call(const std::string& name, const std::string& path, Do perform) {
  log_.push_back({name, path});
  const auto number = log_.size();
  if (number >= dead_from_)
    return Error{Code::kUnavailable, name + " " + path + ": the process is dead"};
  if (name == refused_) return Error{Code::kRefused, name + " " + path + ": Permission denied"};
  if (number != fail_at_) return perform();
  if (fault_.deed == Deed::kDone) std::ignore = perform();  // The reply is lost whatever it says.
  return Error{fault_.code, name + " " + path + ": a fault of the test"};
}

class FaultyFiles::Reader final : public env::ReadableFile {
 public:
  Reader(FaultyFiles& files, std::string path, std::unique_ptr<env::ReadableFile> inner)
      : files_(files), path_(std::move(path)), inner_(std::move(inner)) {}

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    return files_.call<Result<std::size_t>>("read", path_,
                                            [&] { return inner_->read_at(offset, into); });
  }
  Result<std::uint64_t> size() override {
    return files_.call<Result<std::uint64_t>>("size", path_, [&] { return inner_->size(); });
  }

 private:
  FaultyFiles& files_;
  const std::string path_;
  const std::unique_ptr<env::ReadableFile> inner_;
};

class FaultyFiles::Writer final : public env::WritableFile {
 public:
  Writer(FaultyFiles& files, std::string path, std::unique_ptr<env::WritableFile> inner)
      : files_(files), path_(std::move(path)), inner_(std::move(inner)) {}

  Status append(ByteView bytes) override {
    return files_.call<Status>("append", path_, [&] { return inner_->append(bytes); });
  }
  Status sync() override {
    return files_.call<Status>("sync", path_, [&] { return inner_->sync(); });
  }
  Status close() override {
    return files_.call<Status>("close", path_, [&] { return inner_->close(); });
  }

 private:
  FaultyFiles& files_;
  const std::string path_;
  const std::unique_ptr<env::WritableFile> inner_;
};

void FaultyFiles::fail(std::uint64_t k, Fault fault) {
  fail_at_ = k;
  fault_ = fault;
}

std::optional<FaultyFiles::Call> FaultyFiles::failed_call() const {
  if (fail_at_ == 0 || fail_at_ > log_.size()) return std::nullopt;
  return log_[fail_at_ - 1];
}

Result<std::unique_ptr<env::ReadableFile>> FaultyFiles::open(const std::string& path) {
  using Answer = Result<std::unique_ptr<env::ReadableFile>>;
  return call<Answer>("open", path, [&]() -> Answer {
    WEIR_ASSIGN(auto file, inner_.open(path));
    return std::unique_ptr<env::ReadableFile>(
        std::make_unique<Reader>(*this, path, std::move(file)));
  });
}

Result<std::unique_ptr<env::WritableFile>> FaultyFiles::create(const std::string& path,
                                                               env::Create how) {
  using Answer = Result<std::unique_ptr<env::WritableFile>>;
  return call<Answer>("create", path, [&]() -> Answer {
    WEIR_ASSIGN(auto file, inner_.create(path, how));
    return std::unique_ptr<env::WritableFile>(
        std::make_unique<Writer>(*this, path, std::move(file)));
  });
}

Status FaultyFiles::rename(const std::string& from, const std::string& to) {
  return call<Status>("rename", to, [&] { return inner_.rename(from, to); });
}
Status FaultyFiles::link(const std::string& from, const std::string& to) {
  return call<Status>("link", to, [&] { return inner_.link(from, to); });
}
Status FaultyFiles::remove(const std::string& path) {
  return call<Status>("remove", path, [&] { return inner_.remove(path); });
}
Status FaultyFiles::remove_directory(const std::string& path) {
  return call<Status>("remove_directory", path, [&] { return inner_.remove_directory(path); });
}
Status FaultyFiles::make_directories(const std::string& path) {
  return call<Status>("make_directories", path, [&] { return inner_.make_directories(path); });
}
Status FaultyFiles::sync_directory(const std::string& path) {
  return call<Status>("sync_directory", path, [&] { return inner_.sync_directory(path); });
}
Result<std::vector<env::DirectoryEntry>> FaultyFiles::list(const std::string& path) {
  using Answer = Result<std::vector<env::DirectoryEntry>>;
  return call<Answer>("list", path, [&] { return inner_.list(path); });
}
Result<env::FileInfo> FaultyFiles::info(const std::string& path) {
  return call<Result<env::FileInfo>>("info", path, [&] { return inner_.info(path); });
}
Result<env::LockOutcome> FaultyFiles::lock(const std::string& path) {
  return call<Result<env::LockOutcome>>("lock", path, [&] { return inner_.lock(path); });
}

}  // namespace weir::test
