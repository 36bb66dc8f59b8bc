/// \file
/// CUPTI beside an application that has it record its kernels, and graphs that outlive a tuning.

#include "gpu/kernel_support.hpp"
#include "gpu/scale_kernel.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/cuda/error.hpp>

#include <cupti.h>

#include <atomic>
#include <cstdlib>

namespace contextual::test::gpu_test::cupti_records_test {

namespace {

std::atomic<int> kernels_recorded{0};

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *size = std::size_t{1} << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                          std::size_t /*size*/, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    kernels_recorded += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? 1 : 0;
  }
  std::free(buffer);
}

/// An application that counts its kernels.
class RecordingApplication {
 public:
  RecordingApplication() {
    kernels_recorded = 0;
    REQUIRE(cuptiActivityRegisterCallbacks(give_buffer, take_buffer) == CUPTI_SUCCESS);
    REQUIRE(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS);
  }
  RecordingApplication(const RecordingApplication&) = delete;
  RecordingApplication& operator=(const RecordingApplication&) = delete;
  ~RecordingApplication() {
    cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    cuptiFinalize();
  }
  int kernels() const {
    cuda_check(cudaDeviceSynchronize());
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    return kernels_recorded;
  }
};

}  // namespace

TEST_CASE("CUPTI: an application that has it record kernels keeps every record", "[cupti]") {
  ONLY_IF(has_gpu());
  constexpr int n = 1 << 10;
  const DeviceArray<float> y(std::vector<float>(n, 1));
  Stream stream;
  Scale scale("cupti_records_scale", scale_space({{"good", 64}, {"good", 128}}), scale_key,
              scale_definition());
  int launched = 0;
  {
    RecordingApplication application;
    CHECK_THROWS_AS(cuda_cupti_timer(), CudaUnavailable);
    ContextualAutotuner tuner(walk_options(3, cuda_timer));
    tuner.run("cupti_records", [&] {
      scale(stream, y.get(), 1.0F, n);
      ++launched;
    });
    CHECK(launched > 6);
    CHECK(application.kernels() >= launched);
    scale(stream, y.get(), 1.0F, n);
    CHECK(application.kernels() >= launched + 1);
  }
  CHECK(cuda_cupti_timer()->name() == "CUPTI");
}

TEST_CASE("CUPTI: a graph that a tuning has captured is right after every later tuning", "[cupti]") {
  ONLY_IF(has_gpu());
  constexpr int n = 1 << 10;
  const DeviceArray<float> y(std::vector<float>(n, 1));
  const DeviceArray<float> other(std::vector<float>(n, 1));
  Stream stream;
  Scale scale("cupti_graph_scale", scale_space({{"good", 64}, {"good", 128}}), scale_key, scale_definition());
  scale.load();
  cudaGraphExec_t graph = nullptr;
  int replays = 0;
  const auto replay = [&] {
    cuda_check(cudaGraphLaunch(graph, stream));
    ++replays;
  };
  ContextualAutotuner tuner(walk_options(3, cuda_cupti_timer));
  for (int tuning = 0; tuning < 4; ++tuning) {
    tuner.run("cupti_graph", [&] {
      if (graph == nullptr) {
        cudaGraph_t captured = nullptr;
        cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        scale(stream, y.get(), 1.5F, n);
        cuda_check(cudaStreamEndCapture(stream, &captured));
        cuda_check(cudaGraphInstantiate(&graph, captured, 0));
        cuda_check(cudaGraphDestroy(captured));
      }
      scale(stream, other.get(), 1.0F, n);
      replay();
    });
    replay();
    stream.wait();
  }
  float expected = 1;
  for (int i = 0; i < replays; ++i) {
    expected *= 1.5F;
  }
  CHECK(y.host() == std::vector<float>(n, expected));
  cuda_check(cudaGraphExecDestroy(graph));
}

}  // namespace contextual::test::gpu_test::cupti_records_test
