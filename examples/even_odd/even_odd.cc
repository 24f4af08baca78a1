// Sums the even and the odd of the numbers 1 .. 9, with a checkpoint behind 5 and a failure at 7.

#include "examples/even_odd/even_odd.h"

#include <cstdio>

int main(int argc, char** argv) {
  auto env = weir::Environment::from_args(argc, argv);
  const auto diary = std::make_shared<examples::Diary>();
  const auto sums = std::make_shared<weir::Collected<std::string>>();
  const auto result = examples::even_odd(env, diary, weir::collect(sums));
  for (const auto& line : diary->lines()) std::printf("%s\n", line.c_str());
  for (const auto& line : sums->values()) std::printf("%s\n", line.c_str());
  return result;
}
