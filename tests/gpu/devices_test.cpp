/// \file
/// Several streams and devices in one region.

#include "gpu/kernel_support.hpp"
#include "gpu/scale_kernel.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>

namespace contextual::test::gpu_test::devices_test {

namespace {

constexpr int n = 1 << 20;

/// Data and a stream on one device.
struct OnDevice {
  explicit OnDevice(int number) : device(number) {
    cuda_check(cudaSetDevice(device));
    stream = std::make_unique<Stream>();
    y = std::make_unique<DeviceArray<float>>(std::vector<float>(n, 1.0F));
  }
  std::vector<float> host() const {
    cuda_check(cudaSetDevice(device));
    return y->host();
  }
  int device;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<DeviceArray<float>> y;
};

}  // namespace

TEST_CASE("devices: a kernel launched on several devices in one region is right on all of them",
          "[gpu][multi_gpu]") {
  ONLY_IF(has_gpu());
  int devices = 0;
  cuda_check(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    std::printf("skipped: one GPU\n");
    return;
  }
  const TimerFactory timer = GENERATE(TimerFactory(cuda_cupti_timer), TimerFactory(cuda_event_timer));
  std::vector<std::unique_ptr<OnDevice>> all;
  for (int device = 0; device < devices; ++device) {
    all.push_back(std::make_unique<OnDevice>(device));
  }
  Scale scale("gpu_devices", scale_space({{"good", 256}, {"shared", 256}, {"good", 64}, {"good", 1024}}),
              scale_key, scale_definition());
  // Loaded on the first device alone, and launched on the others.
  cuda_check(cudaSetDevice(0));
  scale.load();
  for (const int turn : {0, 1}) {
    for (const auto& on : all) {
      cuda_check(cudaSetDevice(on->device));
      scale(*on->stream, on->y->get(), turn == 0 ? 4.0F : 0.25F, n);
      CHECK(on->host() == std::vector<float>(n, turn == 0 ? 4.0F : 1.0F));
    }
  }
  ContextualAutotuner tuner{walk_options(2, timer)};
  int runs = 0;
  tuner.run("devices", [&] {
    ++runs;
    for (const auto& on : all) {
      cuda_check(cudaSetDevice(on->device));
      scale(*on->stream, on->y->get(), runs % 2 == 1 ? 2.0F : 0.5F, n);
    }
    cuda_check(cudaSetDevice(0));
  });
  for (const auto& on : all) {
    CHECK(on->host() == std::vector<float>(n, runs % 2 == 1 ? 2.0F : 1.0F));
  }
  const ProblemReport problem = tuner.report("devices").problems.at(0);
  CHECK(problem.configs[0].time.count == 2);
  CHECK(problem.configs[1].rejection);
  CHECK(problem.configs[3].time.count == 2);
  for (auto& on : all) {
    cuda_check(cudaSetDevice(on->device));
    on.reset();
  }
  cuda_check(cudaSetDevice(0));
}

TEST_CASE("streams: kernels on streams that overlap are each timed by what they did themselves") {
  ONLY_IF(has_gpu());
  OnDevice first(0);
  OnDevice second(0);
  Scale a("gpu_stream_a", scale_space({{"good", 256}, {"good", 64}}), scale_key, scale_definition());
  Scale b("gpu_stream_b", scale_space({{"good", 256}, {"good", 1024}, {"good", 128}}), scale_key,
          scale_definition());
  ContextualAutotuner tuner{walk_options(3, cuda_timer)};
  tuner.run("streams", [&] {
    a(*first.stream, first.y->get(), 1.0F, n);
    b(*second.stream, second.y->get(), 1.0F, n);
  });
  const Report report = tuner.report();
  for (const ProblemReport& problem : report.find("streams")->problems) {
    for (const ConfigReport& config : problem.configs) {
      CHECK(config.time.count == 3);
      CHECK(config.time.centre_ns > 0);
      CHECK(config.time.centre_ns <= config.makespan.centre_ns);
    }
  }
}

}  // namespace contextual::test::gpu_test::devices_test
