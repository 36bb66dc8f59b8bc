#pragma once

/// \file
/// What the GPU benchmarks share: checks, streams and buffers, how goals are printed.

#include "command_line.hpp"
#include "figures.hpp"

#include <contextual/cuda.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace contextual::benchmarks {

/// Throws std::runtime_error with the call and CUDA's words.
void check(cudaError_t code, const char* call);
void check(CUresult code, const char* call);

#define CONTEXTUAL_CHECKED(call) ::contextual::benchmarks::check((call), #call)

inline constexpr int exit_without_gpu = 3;

/// As `run_program`, but prints device and driver before; without a GPU returns `exit_without_gpu`, with the
/// reason.
int run_on_gpu(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

/// A function of the driver, without linking to it.
void* driver_function(const char* name);
template <typename Function>
Function* driver_function(const char* name) {
  return reinterpret_cast<Function*>(driver_function(name));
}

/// A non-blocking stream.
class Stream {
 public:
  Stream() { CONTEXTUAL_CHECKED(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }

  operator cudaStream_t() const noexcept { return stream_; }
  void wait() const { CONTEXTUAL_CHECKED(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// By default with a time.
class Event {
 public:
  explicit Event(unsigned flags = cudaEventDefault) {
    CONTEXTUAL_CHECKED(cudaEventCreateWithFlags(&event_, flags));
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  operator cudaEvent_t() const noexcept { return event_; }
  void record(cudaStream_t stream) const { CONTEXTUAL_CHECKED(cudaEventRecord(event_, stream)); }
  /// Of both, all work must be done.
  double us_since(const Event& begin) const {
    float ms = 0;
    CONTEXTUAL_CHECKED(cudaEventElapsedTime(&ms, begin.event_, event_));
    return 1e3 * static_cast<double>(ms);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Of several launches, by two events.
class Stopwatch {
 public:
  explicit Stopwatch(const Stream& stream) : stream_(stream) {}

  double us_per_launch(int launches, const std::function<void()>& launch) const {
    begin_.record(stream_);
    for (int i = 0; i < launches; ++i) {
      launch();
    }
    end_.record(stream_);
    CONTEXTUAL_CHECKED(cudaEventSynchronize(end_));
    return end_.us_since(begin_) / launches;
  }

 private:
  const Stream& stream_;
  Event begin_;
  Event end_;
};

/// Device memory, zeroed.
template <typename T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) {
    CONTEXTUAL_CHECKED(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
    CONTEXTUAL_CHECKED(cudaMemset(data_, 0, count * sizeof(T)));
    CONTEXTUAL_CHECKED(cudaDeviceSynchronize());  // no stream here waits for the default one
  }
  explicit Buffer(const std::vector<T>& from) : Buffer(from.size()) {
    CONTEXTUAL_CHECKED(cudaMemcpy(data_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    CONTEXTUAL_CHECKED(cudaDeviceSynchronize());
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }

  T* get() const noexcept { return data_; }
  std::size_t size() const noexcept { return count_; }
  /// Of everything, or of `count` elements from `first` on. All work must be done.
  std::vector<T> download() const { return download(0, count_); }
  std::vector<T> download(std::size_t first, std::size_t count) const {
    std::vector<T> host(count);
    CONTEXTUAL_CHECKED(cudaMemcpy(host.data(), data_ + first, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// Of a matrix.
inline std::size_t element_count(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// One of several configs that all do the same.
struct VariantConfig {
  int variant = 0;
};
ConfigSpace<VariantConfig> variants(int count);
/// What a variant's code is compiled with.
CudaVariant variant_of(const char* function, const VariantConfig& config);

/// Prints "goal   <text>: <value> <unit>, at most <most> <unit>: met" or "NOT met"; returns which.
bool goal_at_most(const std::string& text, double value, double most, const char* unit);

}  // namespace contextual::benchmarks
