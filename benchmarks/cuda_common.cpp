#include "cuda_common.hpp"

#include <cstdio>
#include <stdexcept>

namespace contextual::benchmarks {
namespace {

void print_device() {
  int device = 0;
  int driver = 0;
  int runtime = 0;
  cudaDeviceProp properties{};
  CONTEXTUAL_CHECKED(cudaGetDevice(&device));
  CONTEXTUAL_CHECKED(cudaGetDeviceProperties(&properties, device));
  CONTEXTUAL_CHECKED(cudaDriverGetVersion(&driver));
  CONTEXTUAL_CHECKED(cudaRuntimeGetVersion(&runtime));
  CONTEXTUAL_CHECKED(cudaFree(nullptr));  // makes the context
  std::printf("%s, %d multiprocessors; driver API %d.%d, runtime %d.%d\n\n", properties.name,
              properties.multiProcessorCount, driver / 1000, driver % 1000 / 10, runtime / 1000,
              runtime % 1000 / 10);
}

}  // namespace

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) {
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorName(code) + ": " +
                             cudaGetErrorString(code));
  }
}

void check(CUresult code, const char* call) {
  if (code != CUDA_SUCCESS) {
    throw std::runtime_error(std::string(call) + ": " + cuda_error_text(code));
  }
}

int run_on_gpu(CLI::App& app, int argc, char** argv, const std::function<int()>& body) {
  return run_program(app, argc, argv, [&] {
    if (const std::string problem = cuda_problem(); !problem.empty()) {
      std::printf("no GPU to measure on: %s\n", problem.c_str());
      return exit_without_gpu;
    }
    print_device();
    return body();
  });
}

void* driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr unsigned cuda_12 = 12000;
  CONTEXTUAL_CHECKED(cudaGetDriverEntryPointByVersion(name, &function, cuda_12, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) {
    throw std::runtime_error(std::string("the driver has no ") + name);
  }
  return function;
}

ConfigSpace<VariantConfig> variants(int count) {
  std::vector<VariantConfig> configs(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    configs[static_cast<std::size_t>(i)].variant = i;
  }
  return ConfigSpace<VariantConfig>::list({{"VARIANT", &VariantConfig::variant, {0}}}, std::move(configs));
}

CudaVariant variant_of(const char* function, const VariantConfig& config) {
  return {.function = function, .defines = {{"VARIANT", std::to_string(config.variant)}}};
}

bool goal_at_most(const std::string& text, double value, double most, const char* unit) {
  const bool met = value <= most;
  std::printf("goal   %s: %.4g %s, at most %.4g %s: %s\n", text.c_str(), value, unit, most, unit,
              met ? "met" : "NOT met");
  return met;
}

}  // namespace contextual::benchmarks
