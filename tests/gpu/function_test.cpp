/// \file
/// Tuned functions on a GPU: right results, state that is brought back, and streams that are captured.

#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/cuda_runtime.hpp>
#include <contextual/function.hpp>

namespace contextual::test::gpu_test::function_test {

namespace {

constexpr std::size_t count = std::size_t{1} << 20;

struct FillConfig {
  int chunks = 64;
};

using Fill = TunedFunction<cudaError_t(const FillConfig&, cudaStream_t, unsigned char*, int)>;

/// Fills `count` bytes with `value`, in chunks. The fewer chunks the faster.
cudaError_t fill(const FillConfig& config, cudaStream_t stream, unsigned char* to, int value) {
  const std::size_t chunk = count / static_cast<std::size_t>(config.chunks);
  for (std::size_t at = 0; at < count; at += chunk) {
    const cudaError_t status = cudaMemsetAsync(to + at, value, chunk, stream);
    if (status != cudaSuccess) {
      return status;
    }
  }
  return cudaSuccess;
}

Fill::Options options() {
  return {.options = {.n_warmup = 1,
                      .n_repeat = 3,
                      .search = SearchLevel::off,
                      .log_directory = "",
                      .cache_directory = "",
                      .timer = cuda_timer}};
}

ConfigSpace<FillConfig> space() {
  return {{"CHUNKS", &FillConfig::chunks, {64, 8, 1}}};
}

const auto one_key = [](cudaStream_t, const unsigned char*, int) { return Key{}; };

bool all_are(const DeviceArray<unsigned char>& memory, unsigned char value) {
  const std::vector<unsigned char> bytes = memory.host();
  return std::all_of(bytes.begin(), bytes.end(), [value](unsigned char byte) { return byte == value; });
}

}  // namespace

TEST_CASE("tuned function on a GPU: the first call tunes, and every call is right") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const DeviceArray<unsigned char> memory(count);
  Fill function("gpu_fill", space(), one_key, fill, options());
  CHECK(function(stream, memory.get(), 1) == cudaSuccess);
  stream.wait();
  CHECK(all_are(memory, 1));
  const Report report = function.report();
  REQUIRE(report.find("gpu_fill") != nullptr);
  REQUIRE(report.find("gpu_fill")->problems.size() == 1);
  const ProblemReport& problem = report.find("gpu_fill")->problems[0];
  CHECK(problem.outcome == ProblemOutcome::locked_in);
  CHECK(problem.choice != 0);  // 64 fills take longer than one
  CHECK(function(stream, memory.get(), 2) == cudaSuccess);
  CHECK(all_are(memory, 2));
  CHECK(function.with({.autotune = false}, stream, memory.get(), 3) == cudaSuccess);
  CHECK(all_are(memory, 3));
  CHECK(function.report().runs.size() == 1);
}

TEST_CASE("tuned function on a GPU: with `restore`, what it changes in place is changed once") {
  ONLY_IF(has_gpu());
  struct StepConfig {
    int fills = 1;  ///< work that changes nothing
  };
  const Stream stream;
  const std::vector<int> before{1, 2, 3, 4};
  const DeviceArray<int> numbers(before);
  const DeviceArray<int> scratch(1);
  // Moves all numbers down by one place; the last one stays.
  auto shift = autotune(
      "gpu_shift", {{"FILLS", &StepConfig::fills, {1, 2, 4}}}, [](cudaStream_t, const int*) { return Key{}; },
      [&](const StepConfig& config, cudaStream_t on, int* values) {
        for (int fills = 0; fills < config.fills; ++fills) {
          static_cast<void>(cudaMemsetAsync(scratch.get(), fills, sizeof(int), on));
        }
        for (int i = 0; i < 3; ++i) {
          static_cast<void>(
              cudaMemcpyAsync(values + i, values + i + 1, sizeof(int), cudaMemcpyDeviceToDevice, on));
        }
        return cudaGetLastError();
      },
      {.restore = [](cudaStream_t, int* values) { return std::vector{restored("values", values, 4)}; },
       .options = options().options});
  CHECK(shift(stream, numbers.get()) == cudaSuccess);
  stream.wait();
  CHECK(numbers.host() == std::vector<int>{2, 3, 4, 4});
  CHECK(shift(stream, numbers.get()) == cudaSuccess);
  stream.wait();
  CHECK(numbers.host() == std::vector<int>{3, 4, 4, 4});
}

TEST_CASE("tuned function on a GPU: a call on a captured stream tunes nothing and leaves the capture valid") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const DeviceArray<unsigned char> memory(count);
  Fill function("gpu_captured_fill", space(), one_key, fill, options());
  cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cudaError_t status = function(stream, memory.get(), 5);
  cudaGraph_t graph = nullptr;
  cuda_check(cudaStreamEndCapture(stream, &graph));
  CHECK(status == cudaSuccess);
  CHECK(function.report().runs.empty());
  std::size_t nodes = 0;
  cuda_check(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 64);  // the default
  cudaGraphExec_t replay = nullptr;
  cuda_check(cudaGraphInstantiate(&replay, graph, 0));
  cuda_check(cudaGraphLaunch(replay, stream));
  stream.wait();
  CHECK(all_are(memory, 5));
  cuda_check(cudaGraphExecDestroy(replay));
  cuda_check(cudaGraphDestroy(graph));
  CHECK(function(stream, memory.get(), 6) == cudaSuccess);  // the first call that can tune
  stream.wait();
  CHECK(all_are(memory, 6));
  CHECK(function.report().runs.size() == 1);
}

}  // namespace contextual::test::gpu_test::function_test
