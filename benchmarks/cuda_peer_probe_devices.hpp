#pragma once

/// \file
/// The devices of the probe: streams that are timed, and memory that the other device writes.

#include "cuda_common.hpp"
#include "cuda_peer_probe.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

namespace contextual::benchmarks::probe {

inline constexpr int pieces = 8;
/// In pieces of 33.5 MB.
inline constexpr std::size_t pushed_bytes = pieces * (std::size_t{32} << 20);

/// Makes a device the current one, and returns it.
inline int use(int device) {
  CONTEXTUAL_CHECKED(cudaSetDevice(device));
  return device;
}

/// A stream of a device. Members are made while the device is the current one.
class Side {
 public:
  explicit Side(int device) : device_(use(device)) {
    CONTEXTUAL_CHECKED(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device_));
    probe::load_kernels();
  }

  int device() const { return device_; }
  int multiprocessors() const { return multiprocessors_; }
  const Stream& stream() const { return stream_; }

  /// Launches between the side's two events, while the device is held up, so that it does not wait for the
  /// host afterwards.
  void launch(const std::function<void()>& work, std::uint64_t hold_ns = 200'000) const {
    use(device_);
    probe::hold(stream_, hold_ns);
    begin_.record(stream_);
    work();
    use(device_);
    end_.record(stream_);
  }
  bool has_begun() const { return is_over(begin_); }
  /// Waits for what was launched, and returns how long it took. Ends the process if that is too long, because
  /// a stream's wait for a word has no bound of its own.
  double us() const {
    constexpr std::chrono::seconds bound{10};
    const auto give_up = std::chrono::steady_clock::now() + bound;
    while (!is_over(end_)) {
      if (std::chrono::steady_clock::now() > give_up) {
        std::fflush(stdout);
        std::fprintf(stderr, "failed: device %d has not finished in 10 s\n", device_);
        std::_Exit(1);
      }
      std::this_thread::yield();
    }
    return end_.us_since(begin_);
  }

 private:
  static bool is_over(cudaEvent_t event) {
    const cudaError_t code = cudaEventQuery(event);
    if (code == cudaErrorNotReady) {
      cudaGetLastError();  // no error of a later launch
      return false;
    }
    check(code, "cudaEventQuery");
    return true;
  }

  int device_;
  Stream stream_;
  Event begin_;
  Event end_;
  int multiprocessors_ = 0;
};

/// Two devices with memory that the other one writes.
class Pair {
 public:
  struct Half {
    explicit Half(int device) : side(device), received(pushed_bytes), words(64), took_ns(1) {}

    Side side;
    Buffer<std::byte> received;
    Buffer<unsigned> words;  ///< 0: of kernels, 32: of streams
    Buffer<std::uint64_t> took_ns;
  };

  static bool is_possible() {
    int devices = 0;
    CONTEXTUAL_CHECKED(cudaGetDeviceCount(&devices));
    if (devices < 2) {
      return false;
    }
    int there = 0;
    int back = 0;
    CONTEXTUAL_CHECKED(cudaDeviceCanAccessPeer(&there, 0, 1));
    CONTEXTUAL_CHECKED(cudaDeviceCanAccessPeer(&back, 1, 0));
    return there != 0 && back != 0;
  }

  Pair() : halves_{std::make_unique<Half>(0), std::make_unique<Half>(1)} {
    for (const int device : {0, 1}) {
      use(device);
      CONTEXTUAL_CHECKED(cudaDeviceEnablePeerAccess(1 - device, 0));
    }
  }

  Half& operator[](int device) { return *halves_[device]; }

 private:
  std::unique_ptr<Half> halves_[2];
};

}  // namespace contextual::benchmarks::probe
