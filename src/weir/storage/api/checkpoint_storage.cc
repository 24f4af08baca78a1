#include "weir/storage/api/checkpoint_storage.h"

#include <array>

#include "weir/base/checksum.h"

namespace weir::storage {
namespace {

std::string hex(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = 16; i-- != 0; value >>= 4) out[i] = kDigits[value & 15];
  return out;
}

Error differs(const checkpoint::FileHandle& file, std::string_view what, const std::string& want,
              const std::string& got) {
  return {Code::kCorrupt, "reading " + file.name + ": " + std::string(what) + " differs, want " +
                              want + ", got " + got + std::string(kDamagedAdvice)};
}

}  // namespace

Error length_differs(const checkpoint::FileHandle& file, std::uint64_t got) {
  return differs(file, "length", std::to_string(file.length), std::to_string(got));
}

Error checksum_differs(const checkpoint::FileHandle& file, std::uint64_t got) {
  return differs(file, "checksum", hex(file.checksum), hex(got));
}

Error file_missing(const checkpoint::FileHandle& file, std::string_view detail) {
  return {Code::kCorrupt, "reading " + file.name + ": it is missing, want " +
                              std::to_string(file.length) + " bytes with checksum " +
                              hex(file.checksum) + " (" + std::string(detail) + ")" +
                              std::string(kDamagedAdvice)};
}

Result<Bytes> read_verified(CheckpointStorage& storage, const checkpoint::FileHandle& file,
                            std::uint64_t bytes_max) {
  if (file.length > bytes_max)
    return Error{Code::kExhausted,
                 "reading " + file.name + ": it has " + std::to_string(file.length) +
                     " bytes, more than the limit of " + std::to_string(bytes_max)};
  WEIR_ASSIGN(const auto reader, storage.open(file));
  Bytes bytes(file.length);
  WEIR_ASSIGN(const auto got, reader->read_at(0, bytes));
  if (got != file.length) return length_differs(file, got);
  if (const auto sum = checksum(bytes); sum != file.checksum) return checksum_differs(file, sum);
  return bytes;
}

Result<Bytes> read_state(CheckpointStorage& storage, const checkpoint::StateHandle& handle,
                         std::uint64_t bytes_max) {
  if (const auto* file = std::get_if<checkpoint::FileHandle>(&handle))
    return read_verified(storage, *file, bytes_max);
  return std::get<Bytes>(handle);
}

Result<checkpoint::StateHandle> write_state(CheckpointStorage& storage, const std::string& name,
                                            Bytes bytes) {
  if (bytes.size() < storage.inline_bytes_max()) return checkpoint::StateHandle(std::move(bytes));
  WEIR_ASSIGN(const auto stream, storage.create(name));
  WEIR_TRY(stream->append(bytes));
  WEIR_ASSIGN(auto handle, stream->commit(checksum(bytes)));
  return checkpoint::StateHandle(std::move(handle));
}

}  // namespace weir::storage
