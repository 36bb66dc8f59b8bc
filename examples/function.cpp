/// \file
/// One function that tunes itself, without a region: the first call of a key tunes, later ones use what was
/// chosen, and a call can have options of its own.

#include <contextual/function.hpp>
#include <contextual/key.hpp>
#include <contextual/output.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <vector>

struct Tile {
  std::size_t block = 8;  // what is used before anything is tuned
};

int main() try {
  int runs = 0;

  // sum += transpose of in, for matrices of n x n.
  auto add_transposed = contextual::autotune(
      "add_transposed", {{"BLOCK", &Tile::block, {8, 16, 32, 64, 512}}},
      [](const std::vector<float>&, const std::vector<float>&, std::size_t n) {
        return contextual::make_key(n);
      },
      [&runs](const Tile& tile, std::vector<float>& sum, const std::vector<float>& in, std::size_t n) {
        ++runs;
        for (std::size_t i0 = 0; i0 < n; i0 += tile.block) {
          for (std::size_t j0 = 0; j0 < n; j0 += tile.block) {
            for (std::size_t i = i0; i < std::min(n, i0 + tile.block); ++i) {
              for (std::size_t j = j0; j < std::min(n, j0 + tile.block); ++j) {
                sum[j * n + i] += in[i * n + j];
              }
            }
          }
        }
        return tile.block;
      },
      {.keep = [](const Tile& tile, const auto&, const auto&, std::size_t n) { return tile.block <= n; },
       // No config is chosen that adds something else.
       .outputs = [](std::vector<float>& sum, const auto&,
                     std::size_t) { return std::vector{contextual::output("sum", sum)}; },
       // It accumulates: each run of a call that tunes begins with what the caller gave.
       .restore = [](std::vector<float>& sum, const auto&,
                     std::size_t) { return std::vector{contextual::restored("sum", sum)}; },
       .kernel = {.key_names = {"N"}},
       .options = {.n_warmup = 1}});

  constexpr std::size_t n = 512;
  const std::vector<float> in(n * n, 1.0F);
  std::vector<float> sum(n * n, 10.0F);

  const auto say = [&](const char* call, std::size_t block) {
    std::cout << call << ": ran " << runs << " times, BLOCK " << block << ", sum " << sum.back() << "\n";
    runs = 0;
  };
  say("the first call", add_transposed(sum, in, n));
  say("the second call", add_transposed(sum, in, n));
  say("without autotune", add_transposed.with({.autotune = false}, sum, in, n));
  say("with BLOCK 32", add_transposed.with({.fixed = {{"BLOCK", 32}}}, sum, in, n));

  const contextual::Report report = add_transposed.report();
  if (const contextual::RegionReport* run = report.find("add_transposed")) {
    std::cout << run->choices_text();
  }
} catch (const std::exception& error) {
  std::cerr << "function: " << error.what() << "\n";
  return 1;
}
