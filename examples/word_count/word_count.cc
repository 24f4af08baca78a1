// Counts the words of text files, exactly once whatever is killed when.
//
//   word_count --input FILE-OR-DIRECTORY --output DIRECTORY

#include "examples/word_count/word_count.h"

int main(int argc, char** argv) {
  auto env = weir::Environment::from_args(argc, argv);
  const examples::WordCountOptions options{
      .input =
          env.needed_option("input", "The text file, or the directory of text files, to be read."),
      .output = env.needed_option("output", "The directory for the counts."),
      .bytes_per_second = env.option("bytes-per-second", std::uint64_t{0},
                                     "Reads no faster than this; 0: no limit.")};
  env.enable_checkpointing(weir::Duration::millis(200));
  examples::word_count(env, options);
  return env.execute("word_count");
}
