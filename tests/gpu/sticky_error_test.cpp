/// \file
/// After it the process's device is lost, so this program has one test case.

#include "gpu/kernel_support.hpp"
#include "gpu/scale_kernel.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>

namespace contextual::test::gpu_test::sticky_error_test {

TEST_CASE(
    "device error: a config that writes where it must not ends tuning, naming kernel, config and iteration") {
  ONLY_IF(has_gpu());
  constexpr int n = 1 << 16;
  Stream stream;
  DeviceArray<float> y(std::vector<float>(n, 1.0F));
  Scale good("gpu_innocent", scale_space({{"good", 256}}), scale_key, scale_definition());
  Scale scale("gpu_sticky", scale_space({{"good", 256}, {"wild", 256}, {"good", 128}}), scale_key,
              scale_definition());
  ContextualAutotuner tuner{walk_options(2, cuda_timer)};
  int runs = 0;
  const auto error = caught<DeviceError>([&] {
    tuner.run("sticky", [&] {
      ++runs;
      good(stream, y.get(), 1.0F, n);
      scale(stream, y.get(), 1.0F, n);
    });
  });
  INFO(error.what());
  REQUIRE(error.suspects().size() == 1);
  CHECK(error.suspects()[0].kernel == "gpu_sticky");
  CHECK(error.suspects()[0].config_id == 1);
  CHECK(error.suspects()[0].tuning_iteration == 3);
  CHECK_THAT(error.what(), ContainsSubstring("CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK(runs <= 6);
}

}  // namespace contextual::test::gpu_test::sticky_error_test
