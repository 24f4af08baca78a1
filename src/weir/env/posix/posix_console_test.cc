#include "weir/env/posix/posix_console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <thread>

namespace weir::env {
namespace {

// Reads a pipe to its end on a thread of its own.
class PipeReader {
 public:
  PipeReader() {
    EXPECT_EQ(::pipe(ends_.data()), 0);
    thread_ = std::thread([this] {
      std::array<char, 1000> piece{};
      for (ssize_t got = 0; (got = ::read(ends_[0], piece.data(), piece.size())) > 0;)
        text_.append(piece.data(), static_cast<std::size_t>(got));
    });
  }
  ~PipeReader() { ::close(ends_[0]); }

  int end() const { return ends_[1]; }
  std::string finish() {
    ::close(ends_[1]);
    thread_.join();
    return text_;
  }

 private:
  std::array<int, 2> ends_{};
  std::string text_;
  std::thread thread_;
};

TEST(PosixConsole, LinesOfOneCallStayTogetherThoughThePipeTakesThemInPieces) {
  PipeReader reader;
  ASSERT_EQ(::fcntl(reader.end(), F_SETFL, O_NONBLOCK), 0);
  PosixConsole console(reader.end());
  // Each piece is larger than the pipe.
  const auto print = [&](char letter) {
    const auto line = std::string(99, letter) + "\n";
    std::string lines;
    for (int i = 0; i != 3000; ++i) lines += line;
    EXPECT_TRUE(console.write(lines));
  };
  std::thread other([&] { print('a'); });
  print('b');
  other.join();
  const auto text = reader.finish();
  ASSERT_EQ(text.size(), 2 * 3000 * 100u);
  std::size_t changes = 0;
  for (std::size_t line = 1; line != 6000; ++line)
    changes += text[line * 100] != text[(line - 1) * 100];
  EXPECT_EQ(changes, 1u);
}

TEST(PosixConsole, AReaderThatIsGoneIsAnError) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  PosixConsole console(ends[1]);
  const auto written = console.write("a line\n");
  std::signal(SIGPIPE, before);
  ::close(ends[1]);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::kRefused);
}

}  // namespace
}  // namespace weir::env
