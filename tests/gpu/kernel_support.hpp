#pragma once

/// \file
/// For tests of the CUDA kernels: data on the device with poison and guards, 16-bit values, a stream.

#include <contextual/cuda.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/half_bits.hpp>
#include <contextual/options.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace contextual::test::gpu_test {

/// False, with words that ctest looks for, where there is no GPU.
inline bool has_gpu() {
  const std::string problem = cuda_problem();
  if (!problem.empty()) {
    std::printf("skipped: no GPU: %s\n", problem.c_str());
  }
  return problem.empty();
}

inline void cuda_check(cudaError_t code) {
  if (code != cudaSuccess) {
    throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(code));
  }
}

/// A walk of one warm-up and so many repeats a config, which tunes anew each time, without a log.
inline Options walk_options(int repeats, TimerFactory timer) {
  return {.n_warmup = 1,
          .n_repeat = repeats,
          .search = SearchLevel::off,
          .always_tune = true,
          .log_directory = "",
          .timer = std::move(timer)};
}

/// The driver's function, without linking to the driver, which a machine without a GPU lacks.
template <typename Function>
Function* driver_function(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  cuda_check(cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found));
  return reinterpret_cast<Function*>(entry);
}

/// Writes a word of the device's memory in stream order, without a kernel.
inline void write_value(cudaStream_t stream, unsigned* word, unsigned value) {
  static auto* const write = driver_function<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  if (write(stream, reinterpret_cast<CUdeviceptr>(word), value, 0) != CUDA_SUCCESS) {
    throw std::runtime_error("cuStreamWriteValue32 failed");
  }
}

/// Lets the stream wait until a word of the device's memory is at least `value`.
inline void wait_for_value(cudaStream_t stream, unsigned* word, unsigned value) {
  static auto* const wait = driver_function<decltype(cuStreamWaitValue32)>("cuStreamWaitValue32");
  if (wait(stream, reinterpret_cast<CUdeviceptr>(word), value, CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS) {
    throw std::runtime_error("cuStreamWaitValue32 failed");
  }
}

/// A stream of its own, which does not wait for the default one.
class Stream {
 public:
  Stream() { cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  // NOLINTNEXTLINE(google-explicit-constructor): it is passed where a stream is wanted
  operator cudaStream_t() const noexcept { return stream_; }
  void wait() const { cuda_check(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Lets what comes next on the stream wait for this long.
inline void delay(cudaStream_t stream, std::chrono::nanoseconds time) {
  const auto sleep = [](void* data) {
    const std::unique_ptr<std::chrono::nanoseconds> held(static_cast<std::chrono::nanoseconds*>(data));
    std::this_thread::sleep_for(*held);
  };
  cuda_check(cudaLaunchHostFunc(stream, sleep, std::make_unique<std::chrono::nanoseconds>(time).release()));
}

/// Elements of the device's memory, `offset` elements behind the start of an allocation.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count, std::size_t offset = 0) : count_(count), offset_(offset) {
    cuda_check(cudaMalloc(reinterpret_cast<void**>(&memory_), (count + offset) * sizeof(T)));
    poison();
  }
  explicit DeviceArray(const std::vector<T>& values, std::size_t offset = 0)
      : DeviceArray(values.size(), offset) {
    cuda_check(cudaMemcpy(get(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    cuda_check(
        cudaDeviceSynchronize());  // the copy may go on after its call, and no stream here waits for it
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(memory_); }

  T* get() const noexcept { return memory_ + offset_; }
  /// All bits set: NaN in every floating-point type.
  void poison() {
    cuda_check(cudaMemset(memory_, 0xff, (count_ + offset_) * sizeof(T)));
    cuda_check(cudaDeviceSynchronize());
  }
  /// After everything on the device is done.
  std::vector<T> host() const {
    std::vector<T> values(count_);
    cuda_check(cudaDeviceSynchronize());
    cuda_check(cudaMemcpy(values.data(), get(), count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  std::size_t offset_;
  T* memory_ = nullptr;
};

/// bf16 or fp16.
struct Half {
  bool bf16 = true;

  std::uint16_t bits(float value) const {
    return bf16 ? kernels::cuda::to_bf16(value) : kernels::cuda::to_fp16(value);
  }
  double value(std::uint16_t bits) const {
    return bf16 ? kernels::cuda::from_bf16(bits) : kernels::cuda::from_fp16(bits);
  }
  /// The largest relative error of one rounding: 8 and 11 significant bits.
  double rounding() const { return bf16 ? 0x1p-8 : 0x1p-11; }

  /// Normally distributed around `mean`, the same for a seed.
  std::vector<std::uint16_t> random(std::size_t count, unsigned seed, float mean = 0.0F) const {
    std::mt19937 generator(seed);
    std::normal_distribution<float> distribution(mean, 1.0F);
    std::vector<std::uint16_t> values(count);
    for (std::uint16_t& value : values) {
      value = bits(distribution(generator));
    }
    return values;
  }
  /// Spread evenly over [-most, most], the same for a seed.
  std::vector<std::uint16_t> within(float most, std::size_t count, unsigned seed) const {
    std::mt19937 generator(seed);
    std::vector<std::uint16_t> values(count);
    for (std::uint16_t& value : values) {
      value = bits(2 * most * (0x1p-32F * static_cast<float>(generator()) - 0.5F));
    }
    return values;
  }
};

constexpr std::uint16_t poison_bits = 0xffff;

/// The config of a GEMM differs from others in its tile alone.
inline bool is_plain(const kernels::cuda::GemmConfig& config) {
  const kernels::cuda::GemmConfig defaults;
  return config.group == defaults.group && config.along_n == defaults.along_n &&
         config.num_sms == defaults.num_sms;
}

/// What a call does on a stream, to be replayed.
class Graph {
 public:
  Graph(cudaStream_t stream, const std::function<void()>& call) {
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    call();
    cuda_check(cudaStreamEndCapture(stream, &graph));
    cuda_check(cudaGraphInstantiate(&exec_, graph, 0));
    cuda_check(cudaGraphDestroy(graph));
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { cudaGraphExecDestroy(exec_); }

  void launch(cudaStream_t stream) const { cuda_check(cudaGraphLaunch(exec_, stream)); }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace contextual::test::gpu_test
