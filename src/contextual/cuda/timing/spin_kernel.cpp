#include "contextual/cuda/timing/spin_kernel.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/kernel/ptx_kernel.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/cuda/cuda_launch_config.hpp>

#include <array>
#include <exception>
#include <thread>

namespace contextual::cuda {
namespace {

/// Any device can run it: the driver compiles it for what is there.
constexpr const char* spin_ptx = R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry contextual_spin(.param .u64 times, .param .u64 length_ns, .param .u64 most_looks)
{
  .reg .pred %go;
  .reg .b64 %times, %length, %most, %begin, %now, %spent, %looks;
  ld.param.u64 %times, [times];
  ld.param.u64 %length, [length_ns];
  ld.param.u64 %most, [most_looks];
  cvta.to.global.u64 %times, %times;
  mov.u64 %looks, 0;
  mov.u64 %begin, %globaltimer;
look:
  mov.u64 %now, %globaltimer;
  sub.u64 %spent, %now, %begin;
  add.u64 %looks, %looks, 1;
  setp.lt.u64 %go, %spent, %length;
  setp.lt.and.u64 %go, %looks, %most, %go;
  @%go bra look;
  st.global.u64 [%times], %begin;
  st.global.u64 [%times+8], %now;
  ret;
}
)";

/// Some ms, where a launch asks for some hundred us at most.
constexpr std::uint64_t most_looks = std::uint64_t{1} << 17;
constexpr std::size_t bytes_each = 2 * sizeof(std::uint64_t);
constexpr std::chrono::milliseconds start_patience{100};

CUfunction spin_kernel() {
  static auto* const kernel = new PtxKernel(spin_ptx, "contextual_spin");
  return kernel->get();
}

}  // namespace

void load_spin_kernel() noexcept {
  try {
    spin_kernel();
  } catch (const std::exception&) {  // whoever needs it does without
    static_cast<void>(0);
  }
}

SpinRuns::SpinRuns(std::size_t count) : count_(count) {
  static_cast<void>(spin_kernel());
  CONTEXTUAL_CU(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  if (const CUresult code = driver().cuMemAlloc(&times_, count * bytes_each); code != CUDA_SUCCESS) {
    driver().cuStreamDestroy(stream_);
    check(code, "cuMemAlloc for the calibration");
  }
}

SpinRuns::~SpinRuns() {
  if (!outstanding_) {
    driver().cuMemFree(times_);
    driver().cuStreamDestroy(stream_);
  }
}

void SpinRuns::launch(std::size_t index, std::chrono::nanoseconds length) {
  CUdeviceptr times = times_ + index * bytes_each;
  auto length_ns = static_cast<std::uint64_t>(length.count());
  std::uint64_t looks = most_looks;
  std::array<void*, 3> parameters{&times, &length_ns, &looks};
  const detail::CudaLaunchConfig launch(CudaLayout{}, stream_);
  CONTEXTUAL_CU(cuLaunchKernelEx(launch.get(), spin_kernel(), parameters.data(), nullptr));
  outstanding_ = true;
}

std::vector<std::int64_t> SpinRuns::wait() {
  wait_for_stream();
  std::vector<std::uint64_t> times(2 * count_);
  CONTEXTUAL_CU(cuMemcpyDtoHAsync(times.data(), times_, count_ * bytes_each, stream_));
  wait_for_stream();
  std::vector<std::int64_t> lengths_ns;
  for (std::size_t i = 0; i < count_; ++i) {
    lengths_ns.push_back(static_cast<std::int64_t>(times[2 * i + 1] - times[2 * i]));
  }
  return lengths_ns;
}

void SpinRuns::wait_for_stream() {
  outstanding_ = true;
  const auto until = std::chrono::steady_clock::now() + start_patience;
  CUresult code = driver().cuStreamQuery(stream_);
  while (code == CUDA_ERROR_NOT_READY && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
    code = driver().cuStreamQuery(stream_);
  }
  check(code, "cuStreamQuery of the calibration");
  outstanding_ = false;
}

}  // namespace contextual::cuda
