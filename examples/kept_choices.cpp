/// \file
/// One job tunes, and what it has chosen is kept; servers begin with that and never tune.
///
///     kept_choices tune 60     # dies in its 60th run, as by a crash
///     kept_choices tune        # goes on where that one was
///     kept_choices serve
///
/// Choices are kept in CONTEXTUAL_CACHE_DIR, else in ~/.contextual: docs/cache.md, docs/resuming.md.

#include <contextual/autotuner.hpp>
#include <contextual/cache_directory.hpp>
#include <contextual/kernel.hpp>
#include <contextual/key.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>
#include <vector>

namespace {

struct TransposeConfig {
  std::size_t block = 8;
};

void transpose_blocks(const TransposeConfig& config, std::size_t n, const float* in, float* out) {
  for (std::size_t i0 = 0; i0 < n; i0 += config.block) {
    for (std::size_t j0 = 0; j0 < n; j0 += config.block) {
      for (std::size_t i = i0; i < std::min(n, i0 + config.block); ++i) {
        for (std::size_t j = j0; j < std::min(n, j0 + config.block); ++j) {
          out[j * n + i] = in[i * n + j];
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view task = argc >= 2 ? argv[1] : "";
  const long dies_in_run = argc == 3 ? std::strtol(argv[2], nullptr, 10) : 0;
  if ((task != "tune" && task != "serve") || argc > 3) {
    std::cerr << "usage: kept_choices tune [<dies in run>]\n       kept_choices serve\n";
    return 2;
  }
  // A kernel without a source that the library knows says by `version` when its code has changed: choices of
  // other versions do not count.
  contextual::TunableKernel transpose{
      "transpose",
      contextual::ConfigSpace<TransposeConfig>{{"BLOCK", &TransposeConfig::block, {8, 16, 32, 64, 512}}},
      [](std::size_t n, const float*, float*) { return contextual::make_key(n); },
      transpose_blocks,
      {.version = "1"}};
  constexpr std::size_t n = 1000;
  std::vector<float> in(n * n, 1.0F);
  std::vector<float> out(n * n);

  contextual::ContextualAutotuner tuner{
      {.mode = task == "tune" ? contextual::Mode::tune : contextual::Mode::use, .n_warmup = 1}};
  long runs = 0;
  const bool loaded = task == "serve" && tuner.load("step");
  tuner.run("step", [&] {
    transpose(n, in.data(), out.data());
    transpose(n, out.data(), in.data());
    if (++runs == dies_in_run) {
      std::cout << "killed in run " << runs << std::endl;
      std::raise(SIGKILL);
    }
  });

  const contextual::Report report = tuner.report();
  const contextual::RegionReport& step = *report.find("step");
  if (task == "serve" && !loaded) {
    std::cout
        << "nothing is kept for region \"step\" on this machine: the defaults are used. Run `kept_choices "
           "tune` once\n";
    return 0;
  }
  std::cout << "choices are kept in " << contextual::cache_directory() << "\n" << step.to_string();
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
