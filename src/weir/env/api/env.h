#pragma once

#include "weir/env/api/clock.h"
#include "weir/env/api/console.h"
#include "weir/env/api/entropy.h"
#include "weir/env/api/executor.h"
#include "weir/env/api/file_system.h"

namespace weir::env {

// All that an engine may ask of the machine it runs on. Every part outlives the engine.
struct Env {
  Clock& clock;
  Entropy& entropy;
  FileSystem& files;
  Executor& executor;
  IoPool& io;
  Console& console;
};

}  // namespace weir::env
