// Whatever the bytes are, decoding ends in a value or an error, and a value survives being written
// and read again.

#include <cstddef>
#include <cstdint>

#include "weir/base/checksum.h"
#include "weir/storage/api/internal/metadata_sections.h"
#include "weir/storage/api/metadata.h"

namespace weir::storage {
namespace {

// Checksums would keep the fuzzer out: every section's is set right before decoding.
void mend_checksums(Bytes& bytes) {
  constexpr std::size_t kSections = 16;
  constexpr std::size_t kSectionHeader = 20;
  for (std::size_t at = kSections; at + kSectionHeader + 8 <= bytes.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at + 4, sizeof length);
    if (length > bytes.size() - at - kSectionHeader) break;
    const auto sum = checksum(ByteView(bytes).subspan(at + kSectionHeader, length));
    std::memcpy(bytes.data() + at + 12, &sum, sizeof sum);
    at += kSectionHeader + length;
  }
  if (bytes.size() < 8) return;
  const auto total = checksum(ByteView(bytes).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &total, sizeof total);
}

void decode_and_encode(ByteView bytes) {
  const auto decoded = decode_metadata(bytes, "fuzz");
  if (!decoded) return;
  const auto encoded = encode_metadata(decoded->checkpoint);
  const auto again = decode_metadata(encoded, "fuzz");
  WEIR_CHECK(again);
  WEIR_CHECK(*again == *decoded);
}

// The payloads by themselves, past the frame that the fuzzer would have to guess.
void decode_payloads(ByteView bytes) {
  Metadata out;
  if (decode_checkpoint(bytes, out.checkpoint).empty()) {
    out.checkpoint.operators.clear();
    const auto again = decode_metadata(encode_metadata(out.checkpoint), "fuzz");
    WEIR_CHECK(again && *again == out);
  }
  Metadata operators;
  if (decode_operators(bytes, operators.checkpoint.operators).empty()) {
    const auto again = decode_metadata(encode_metadata(operators.checkpoint), "fuzz");
    WEIR_CHECK(again && *again == operators);
  }
  Metadata schemas;
  if (decode_schemas(bytes, schemas.checkpoint.schemas).empty()) {
    const auto again = decode_metadata(encode_metadata(schemas.checkpoint), "fuzz");
    WEIR_CHECK(again && *again == schemas);
  }
}

}  // namespace
}  // namespace weir::storage

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  weir::Bytes mended(bytes, bytes + size);
  weir::storage::decode_and_encode(mended);
  weir::storage::mend_checksums(mended);
  weir::storage::decode_and_encode(mended);
  weir::storage::decode_payloads({bytes, size});
  return 0;
}
