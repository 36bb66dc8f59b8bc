#pragma once

/// \file
/// A kernel that waits on the device until the host lets it go, or for 2 s, in one block or in pairs of
/// blocks that occupy a multiprocessor each.

#include "gpu/kernel_support.hpp"

namespace contextual::test::gpu_test {

/// Launched by the constructor, on a stream of its own.
class SpinningKernel {
 public:
  explicit SpinningKernel(int blocks = 1) {
    void* host = nullptr;
    void* device = nullptr;
    cuda_check(cudaHostAlloc(&host, 2 * sizeof(int), cudaHostAllocMapped));
    cuda_check(cudaHostGetDevicePointer(&device, host, 0));
    words_ = static_cast<int*>(host);
    words_[0] = 0;
    words_[1] = 0;
    kernel()(stream_, static_cast<int*>(device), blocks);
  }
  SpinningKernel(const SpinningKernel&) = delete;
  SpinningKernel& operator=(const SpinningKernel&) = delete;
  ~SpinningKernel() {
    words_[0] = 1;
    cudaStreamSynchronize(stream_);
    cudaFreeHost(const_cast<int*>(words_));
  }

  /// Lets it go and waits for its end. False: it had given up before.
  bool release() {
    words_[0] = 1;
    stream_.wait();
    return words_[1] == 0;
  }

 private:
  struct Config {
    int threads = 1;
  };
  using Kernel = CudaKernel<Config, int*, int>;

  static Kernel& kernel() {
    static auto* const kernel = [] {
      Kernel::Definition definition;
      definition.source = CudaSource::text("spin.cu", R"(
extern "C" __global__ void spin(volatile int* words, int) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  while (words[0] == 0) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - begin > 2000000000ull) { words[1] = 1; break; }
  }
})");
      definition.variant = [](const Config&) { return CudaVariant{.function = "spin"}; };
      definition.layout = [](const Config&, int* const&, const int& blocks) {
        constexpr unsigned whole_multiprocessor = 200 * 1024;
        return blocks == 1 ? CudaLayout{}
                           : CudaLayout{.grid = {static_cast<unsigned>(blocks)},
                                        .cluster = {2},
                                        .dynamic_shared_bytes = whole_multiprocessor};
      };
      return new Kernel(
          "spin", {{"THREADS", &Config::threads, {1}}},
          [](int* const&, const int&) { return single_problem(); }, definition);
    }();
    return *kernel;
  }

  Stream stream_;
  volatile int* words_ = nullptr;
};

}  // namespace contextual::test::gpu_test
