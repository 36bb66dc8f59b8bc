#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/kernels/cuda/vector_add.hpp>

#include <numeric>

namespace contextual::test::gpu_test::kernels_test {

using namespace kernels::cuda;

namespace {

/// Everything but the poison behind the end is to be the sum.
int wrong_sums(const std::vector<float>& c, const std::vector<float>& a, const std::vector<float>& b) {
  int wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    wrong += c[i] == a[i] + b[i] ? 0 : 1;
  }
  for (std::size_t i = a.size(); i < c.size(); ++i) {
    wrong += c[i] != c[i] ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("cuda_vector_add: every config adds any length, aligned or not, and nothing more") {
  ONLY_IF(has_gpu());
  const Stream stream;
  for (const std::size_t n : {1, 3, 37, 1000, 40'003}) {
    std::vector<float> a(n);
    std::iota(a.begin(), a.end(), 0.25F);
    const std::vector<float> b(a.rbegin(), a.rend());
    for (const std::size_t offset : {0, 1}) {
      const DeviceArray<float> on_a(a, offset);
      const DeviceArray<float> on_b(b);
      DeviceArray<float> on_c(n + 9);
      for (std::size_t id = 0; id < vector_add().space().size(); ++id) {
        INFO("n " << n << ", offset " << offset << ", " << vector_add().space().describe(id));
        on_c.poison();
        REQUIRE(vector_add().launch_config(id, stream, on_c.get(), on_a.get(), on_b.get(),
                                           static_cast<long long>(n), offset == 0) == CUDA_SUCCESS);
        REQUIRE(wrong_sums(on_c.host(), a, b) == 0);
      }
      on_c.poison();
      vector_add(stream, on_c.get(), on_a.get(), on_b.get(), static_cast<long long>(n));
      CHECK(wrong_sums(on_c.host(), a, b) == 0);
    }
  }
}

TEST_CASE("cuda_vector_add: nothing to add is an error, not a launch") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const DeviceArray<float> c(1);
  CHECK_THROWS_AS(vector_add(stream, c.get(), c.get(), c.get(), 0), CudaError);
}

}  // namespace contextual::test::gpu_test::kernels_test
