#pragma once

#include <string>
#include <string_view>

#include "weir/base/result.h"
#include "weir/ha/api/run_record.h"

namespace weir::ha {

// The record as the text of the file `run`, version 1. One record has one text.
//
//   Source  docs/formats/run.md
std::string run_text(const RunRecord& record);

// The inverse; `file` is for the error texts.
//
//   Errors  kCorrupt: it is not what was written, or another version
Result<RunRecord> parse_run_text(std::string_view text, std::string_view file);

}  // namespace weir::ha
