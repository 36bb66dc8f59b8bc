/// \file
/// The shortest complete program: one kernel, one parameter, one region.

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/key.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <vector>

struct TransposeConfig {
  std::size_t block = 8;  // what the kernel launches with before anything is tuned
};

int main() try {
  // What is tuned: a name, the values to try, what the best value depends on, and how to launch.
  contextual::TunableKernel transpose{
      "transpose",
      contextual::ConfigSpace<TransposeConfig>{{"BLOCK", &TransposeConfig::block, {8, 16, 32, 64, 512}}},
      [](std::size_t n, const float*, float*) { return contextual::make_key(n); },
      [](const TransposeConfig& config, std::size_t n, const float* in, float* out) {
        for (std::size_t i0 = 0; i0 < n; i0 += config.block) {
          for (std::size_t j0 = 0; j0 < n; j0 += config.block) {
            for (std::size_t i = i0; i < std::min(n, i0 + config.block); ++i) {
              for (std::size_t j = j0; j < std::min(n, j0 + config.block); ++j) {
                out[j * n + i] = in[i * n + j];
              }
            }
          }
        }
      }};

  constexpr std::size_t n = 1000;
  std::vector<float> in(n * n, 1.0F);
  std::vector<float> out(n * n);

  // The region: your code as it is. It runs again and again until every kernel in it is tuned, then once
  // more.
  contextual::ContextualAutotuner tuner{{.n_warmup = 1}};
  const float corner = tuner.run("step", [&] {
    transpose(n, in.data(), out.data());
    transpose(n, out.data(), in.data());
    return in.back();
  });

  const contextual::Report report = tuner.report();
  std::cout << "result " << corner << "\n" << report.find("step")->to_string();
  transpose(n, in.data(), out.data());  // from now on with the best config, wherever it is called
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
