#include "gpu/kernel_support.hpp"
#include "gpu/scale_kernel.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>

namespace contextual::test::gpu_test::failing_configs_test {

namespace {

constexpr int n = 1 << 16;

}  // namespace

TEST_CASE(
    "CudaKernel: what the device cannot launch is rejected with the driver's words and never launched") {
  ONLY_IF(has_gpu());
  Stream stream;
  DeviceArray<float> y(std::vector<float>(n, 1.0F));
  Scale scale("gpu_failing_configs",
              scale_space({{"good", 256},
                           {"shared", 256},
                           {"good", 2048},
                           {"registers", 1024},
                           {"grid", 256},
                           {"source", 256},
                           {"good", 128}}),
              scale_key, scale_definition());
  ContextualAutotuner tuner{walk_options(2, cuda_timer)};
  int runs = 0;
  tuner.run("failing_configs", [&] {
    ++runs;
    scale(stream, y.get(), runs % 2 == 1 ? 2.0F : 0.5F, n);
  });
  const Report report = tuner.report();
  const std::vector<ConfigReport>& configs = report.find("failing_configs")->problems.at(0).configs;
  for (const std::size_t id : {0, 6}) {
    CHECK_FALSE(configs[id].rejection);
    CHECK(configs[id].time.count == 2);
  }
  CHECK_THAT(configs[1].rejection.value_or(""), ContainsSubstring("307200 + 0 bytes of shared memory"));
  CHECK_THAT(configs[2].rejection.value_or(""), ContainsSubstring("a block of 2048 threads"));
  CHECK_THAT(configs[3].rejection.value_or(""), ContainsSubstring("registers this kernel can have 256"));
  CHECK_THAT(configs[4].rejection.value_or(""), ContainsSubstring("a grid of 1 x 70000 x 1 blocks"));
  CHECK_THAT(configs[5].rejection.value_or(""), ContainsSubstring("does not compile"));
  // Launched once in every run of the region, and nothing that was rejected had an effect.
  CHECK(y.host() == std::vector<float>(n, runs % 2 == 1 ? 2.0F : 1.0F));
}

TEST_CASE("CudaKernel: a default that does not compile here gives way to another config") {
  ONLY_IF(has_gpu());
  Stream stream;
  DeviceArray<float> y(std::vector<float>(n, 1.0F));
  ScaleOf<BrokenByDefault> scale("gpu_failing_default",
                                 scale_space<BrokenByDefault>({{"good", 256}, {"good", 128}}), scale_key,
                                 scale_definition<BrokenByDefault>());
  ContextualAutotuner tuner{walk_options(2, cuda_timer)};
  int runs = 0;
  tuner.run("failing_default", [&] {
    ++runs;
    scale(stream, y.get(), runs % 2 == 1 ? 2.0F : 0.5F, n);
  });
  const ProblemReport problem = tuner.report("failing_default").problems.at(0);
  CHECK(problem.choice != 0);
  CHECK_THAT(problem.configs[0].rejection.value_or(""), ContainsSubstring("does not compile"));
  CHECK(y.host() == std::vector<float>(n, runs % 2 == 1 ? 2.0F : 1.0F));
}

TEST_CASE("CudaKernel: when every config fails all reasons are told") {
  ONLY_IF(has_gpu());
  Stream stream;
  DeviceArray<float> y(std::vector<float>(n, 1.0F));
  ScaleOf<BrokenByDefault> scale("gpu_all_fail", scale_space<BrokenByDefault>({{"source", 128}}), scale_key,
                                 scale_definition<BrokenByDefault>());
  ContextualAutotuner tuner{walk_options(2, cuda_timer)};
  const auto error =
      caught<TuningFailedError>([&] { tuner.run("all_fail", [&] { scale(stream, y.get(), 2.0F, n); }); });
  REQUIRE(error.rejections().size() == 2);
  for (const Rejection& rejection : error.rejections()) {
    CHECK_THAT(rejection.reason, ContainsSubstring("does not compile"));
  }
  CHECK(y.host() == std::vector<float>(n, 1.0F));
}

}  // namespace contextual::test::gpu_test::failing_configs_test
