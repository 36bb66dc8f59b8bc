// A program with a kernel compiled at run time, as a user would write it. Without a GPU it says so and ends
// well.

#include <contextual/autotuner.hpp>
#include <contextual/cuda.hpp>

#include <cstdio>

namespace {

struct SpinConfig {
  int block = 64;
};

using Spin = contextual::CudaKernel<SpinConfig, int>;

Spin::Definition definition() {
  Spin::Definition definition;
  definition.source = contextual::CudaSource::text(
      "spin.cu",
      "extern \"C\" __global__ void spin(int n) { for (int i = 0; i < n; ++i) { __nanosleep(20); } }");
  definition.variant = [](const SpinConfig&) { return contextual::CudaVariant{.function = "spin"}; };
  definition.layout = [](const SpinConfig& config, const int&) {
    return contextual::CudaLayout{.block = {static_cast<unsigned>(config.block)}};
  };
  return definition;
}

}  // namespace

int main() {
  Spin spin(
      "spin", {{"BLOCK", &SpinConfig::block, {64, 128}}},
      [](const int& n) { return contextual::make_key(n); }, definition());
  if (const std::string problem = contextual::cuda_problem(); !problem.empty()) {
    std::printf("no GPU here: %s\n", problem.c_str());
    return spin.space().size() == 2 ? 0 : 1;
  }
  try {
    spin(nullptr, 1);
  } catch (const contextual::CudaError& error) {
    std::printf("%s\n", error.what());  // no context is current
    return 0;
  }
  return 1;
}
