#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"
#include "support/report_of.hpp"

#include <contextual/cuda.hpp>

namespace contextual::test::gpu_test::cuda_kernel_test {

namespace {

struct AxpyConfig {
  int block = 256;
  int per_thread = 1;
};

using Axpy = CudaKernel<AxpyConfig, float*, const float*, float, int>;

constexpr const char* axpy_source = R"(
extern "C" __global__ void axpy(float* y, const float* x, float a, int n) {
  const int stride = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < PER_THREAD; ++k, i += stride) {
    if (i < n) { y[i] += a * x[i]; }
  }
}
)";

Axpy::Definition axpy_definition() {
  Axpy::Definition definition;
  definition.source = CudaSource::text("axpy.cu", axpy_source);
  definition.variant = [](const AxpyConfig& config) {
    return CudaVariant{.function = "axpy", .defines = {{"PER_THREAD", std::to_string(config.per_thread)}}};
  };
  definition.layout = [](const AxpyConfig& config, float* const&, const float* const&, const float&,
                         const int& n) {
    const unsigned block = static_cast<unsigned>(config.block);
    const unsigned covered = block * static_cast<unsigned>(config.per_thread);
    return CudaLayout{.grid = {(static_cast<unsigned>(n) + covered - 1) / covered}, .block = {block}};
  };
  return definition;
}

/// Two vectors of ones on the device, and a stream of its own.
struct Vectors {
  static constexpr int n = 1 << 20;
  float* x = nullptr;
  float* y = nullptr;
  cudaStream_t stream = nullptr;

  Vectors() {
    const std::vector<float> ones(n, 1.0F);
    cudaMalloc(reinterpret_cast<void**>(&x), n * sizeof(float));
    cudaMalloc(reinterpret_cast<void**>(&y), n * sizeof(float));
    cudaMemcpy(x, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    reset();
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  }
  ~Vectors() {
    cudaStreamDestroy(stream);
    cudaFree(x);
    cudaFree(y);
  }
  void reset() {
    cudaMemcpy(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();  // the copy goes on after its call, and the stream does not wait for it
  }
  bool all_are(float value) const {
    std::vector<float> host(n);
    cudaStreamSynchronize(stream);
    cudaMemcpy(host.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (const float element : host) {
      if (element != value) {
        return false;
      }
    }
    return true;
  }
};

Options options_with(const TimerFactory& timer) {
  Options options{.always_tune = true, .log_directory = "", .timer = timer};
  return options;
}

}  // namespace

TEST_CASE("CudaKernel: is right in every tuning iteration, and rejects what the device cannot launch") {
  ONLY_IF(has_gpu());
  for (const TimerFactory& timer : {TimerFactory(cuda_cupti_timer), TimerFactory(cuda_event_timer)}) {
    Vectors vectors;
    Axpy axpy(
        "axpy",
        {{"BLOCK", &AxpyConfig::block, {128, 256, 2048}}, {"PER_THREAD", &AxpyConfig::per_thread, {1, 4}}},
        [](float* const&, const float* const&, const float&, const int& n) { return make_key(n); },
        axpy_definition());
    axpy.load();
    Options options = options_with(timer);
    int right = 0;
    int runs = 0;
    options.before_iteration = [&](const IterationInfo&) { vectors.reset(); };
    options.after_iteration = [&](const IterationInfo&) {
      ++runs;
      right += vectors.all_are(3.0F) ? 1 : 0;
    };
    ContextualAutotuner tuner(options);
    tuner.run("axpy", [&] { axpy(vectors.stream, vectors.y, vectors.x, 2.0F, Vectors::n); });
    CHECK(runs > 16);
    CHECK(right == runs);
    const ProblemReport problem = tuner.report("axpy").problems.at(0);
    CHECK(problem.outcome == ProblemOutcome::locked_in);
    for (const ConfigReport& config : problem.configs) {
      const bool too_large = config.config.to_string().find("2048") != std::string::npos;
      INFO(config.config.to_string());
      CHECK(config.rejection.has_value() == too_large);
      if (too_large) {
        CHECK_THAT(*config.rejection, ContainsSubstring("a block of 2048 threads"));
      } else {
        CHECK(config.time.centre_ns > 1'000);    // 12 MB take some us
        CHECK(config.time.centre_ns < 300'000);  // and no more
        CHECK(config.makespan.centre_ns >= config.time.centre_ns * 0.99);
      }
    }
  }
}

TEST_CASE("holds 12: what is captured is not tuned, and the graph replays it") {
  ONLY_IF(has_gpu());
  Vectors vectors;
  Axpy axpy(
      "axpy-captured", {{"PER_THREAD", &AxpyConfig::per_thread, {1, 2, 4}}},
      [](float* const&, const float* const&, const float&, const int& n) { return make_key(n); },
      axpy_definition());
  axpy.load();
  ContextualAutotuner tuner(options_with(cuda_timer));
  cudaGraph_t graph = nullptr;
  int captures = 0;
  tuner.run("captures", [&] {
    cudaStreamBeginCapture(vectors.stream, cudaStreamCaptureModeThreadLocal);
    axpy(vectors.stream, vectors.y, vectors.x, 2.0F, Vectors::n);
    cudaStreamEndCapture(vectors.stream, &graph);
    ++captures;
  });
  CHECK(captures == 1);  // nothing to tune was seen
  CHECK(report_of(tuner, "captures").problems.empty());
  // Neither where the same kernel is launched as well, and the capture comes in a later tuning iteration.
  int runs = 0;
  tuner.run("captures later", [&] {
    axpy(vectors.stream, vectors.y, vectors.x, 0.0F, Vectors::n / 2);
    if (++runs > 3) {
      cudaGraph_t ignored = nullptr;
      cudaStreamBeginCapture(vectors.stream, cudaStreamCaptureModeThreadLocal);
      axpy(vectors.stream, vectors.y, vectors.x, 2.0F, Vectors::n);
      cudaStreamEndCapture(vectors.stream, &ignored);
      cudaGraphDestroy(ignored);
    }
  });
  CHECK(runs > 3);
  CHECK(report_of(tuner, "captures later").problems.size() == 1);
  vectors.reset();
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  cudaGraphLaunch(executable, vectors.stream);
  cudaGraphLaunch(executable, vectors.stream);
  CHECK(vectors.all_are(5.0F));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

TEST_CASE("CudaKernel: a source that does not compile is rejected with the compiler's words") {
  ONLY_IF(has_gpu());
  Vectors vectors;
  Axpy::Definition definition = axpy_definition();
  definition.variant = [](const AxpyConfig& config) {
    return CudaVariant{.function = "axpy",
                       .defines = {{"PER_THREAD", config.per_thread == 4 ? "y_is_not_known" : "1"}}};
  };
  Axpy axpy(
      "axpy-broken", {{"PER_THREAD", &AxpyConfig::per_thread, {1, 4}}},
      [](float* const&, const float* const&, const float&, const int& n) { return make_key(n); }, definition);
  axpy.load();
  ContextualAutotuner tuner(options_with(cuda_timer));
  tuner.run("broken", [&] { axpy(vectors.stream, vectors.y, vectors.x, 2.0F, Vectors::n); });
  const ProblemReport problem = tuner.report("broken").problems.at(0);
  CHECK(problem.choice == 0);
  REQUIRE(problem.configs[1].rejection.has_value());
  CHECK_THAT(*problem.configs[1].rejection, ContainsSubstring("\"y_is_not_known\" is undefined"));
}

}  // namespace contextual::test::gpu_test::cuda_kernel_test
