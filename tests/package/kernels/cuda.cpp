// The library's own kernels on a GPU, as a user would write it. Without a GPU it says so and ends well.

#include <contextual/kernels/cuda/gemm_implementations.hpp>

#include <cstdio>

int main() {
  namespace kernels = contextual::kernels::cuda;
  if (const std::string problem = contextual::cuda_problem(); !problem.empty()) {
    std::printf("no GPU here: %s\n", problem.c_str());
    return kernels::gemm_implementations().space().size() == 3 ? 0 : 1;
  }
  try {
    kernels::gemm()(nullptr, kernels::GemmArgs{nullptr, nullptr, nullptr, 0, 8, 8});
  } catch (const contextual::InvalidArgument& error) {
    std::printf("%s\n", error.what());  // m must be at least 1
    return 0;
  }
  return 1;
}
