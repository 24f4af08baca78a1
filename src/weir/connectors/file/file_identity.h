#pragma once

#include <string>
#include <string_view>

#include "weir/base/bytes.h"
#include "weir/base/result.h"
#include "weir/connectors/file/file_split.h"
#include "weir/env/api/file_system.h"

namespace weir::connectors {

// How an error of input that changed ends: what was read of it before stays in the checkpoint.
inline constexpr std::string_view kInputAdvice =
    "; put back what was there, or begin anew with --restart";

// What a restart or a look at another file can mend is told apart from what it cannot: a file that is not there
// (kNotFound) becomes kInvalid, which is for good.
Error input_error(const Error& error, const std::string& path);

// The checksum of the kIdentityBytes before `offset`, or of all where there are fewer.
Result<std::uint64_t> checksum_before(env::ReadableFile& file, std::uint64_t offset);

// What the file is now.
//
//   Errors  kInvalid: there is none, or it is no file; kRefused: it may not be read; others may pass
Result<FileIdentity> identify(env::FileSystem& files, env::ReadableFile& file,
                              const std::string& path);

// Whether the file is the one that was listed: as long as then or longer, and beginning alike.
//
//   Errors  kCorrupt: it is shorter, or another file, and in what it differs; others as identify()
Status check_identity(env::FileSystem& files, env::ReadableFile& file, const FileSplit& split);

// Whether the bytes before split.next are those that were there.
Status check_tail(const FileSplit& split, ByteView before_next);

}  // namespace weir::connectors
