#include "contextual/cuda/mixed_timer.hpp"

#include "contextual/cuda/active_contexts.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/cuda/timer.hpp>
#include <contextual/detail/kernel_core.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace contextual {
namespace cuda {
namespace {

constexpr int host_device = -1;

std::int64_t now_ns() noexcept {
  const auto since_epoch = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

}  // namespace

MixedTimer::MixedTimer(std::unique_ptr<Timer> device) : device_(std::move(device)) {}

void MixedTimer::begin_iteration(std::int64_t tuning_iteration, IterationNote& note) {
  iterations_.push_back({tuning_iteration, now_ns(), 0});
  device_->begin_iteration(tuning_iteration, note);
}

void MixedTimer::end_iteration(std::int64_t tuning_iteration, IterationNote& note) {
  device_->end_iteration(tuning_iteration, note);
  iterations_.back().end_ns = now_ns();
}

void MixedTimer::begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept {
  if (launch.on_stream) {
    device_->begin_launch(launch, note);
  } else {
    note.begin = -now_ns();  // a device timer's notes begin at 0 or above
  }
}

void MixedTimer::end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept {
  if (launch.on_stream) {
    device_->end_launch(launch, note);
  } else {
    note.end = now_ns();
  }
}

void MixedTimer::settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
                        Deadline deadline) {
  std::vector<LaunchTiming> on_device;
  std::vector<std::size_t> places;
  std::vector<std::int64_t> with_host_work;  // tuning iterations
  for (std::size_t i = 0; i < launches.size(); ++i) {
    LaunchTiming& launch = launches[i];
    launch.spans.clear();
    if (launch.note.begin >= 0) {
      on_device.push_back(launch);
      places.push_back(i);
      continue;
    }
    with_host_work.push_back(launch.tuning_iteration);
    if (launch.note.end > -launch.note.begin) {
      launch.spans.push_back({-launch.note.begin, launch.note.end, host_device});
    }
  }
  const std::vector<HostIteration> host = std::exchange(iterations_, {});
  device_->settle(on_device, iterations, deadline);
  for (std::size_t i = 0; i < places.size(); ++i) {
    launches[places[i]].spans = std::move(on_device[i].spans);
  }
  std::vector<std::int64_t> with_device_work;
  with_device_work.reserve(on_device.size());
  for (const LaunchTiming& launch : on_device) {
    with_device_work.push_back(launch.tuning_iteration);
  }
  const auto contains = [](const std::vector<std::int64_t>& list, std::int64_t iteration) {
    return std::find(list.begin(), list.end(), iteration) != list.end();
  };
  for (IterationTiming& iteration : iterations) {
    const auto own = std::find_if(host.begin(), host.end(), [&](const HostIteration& h) {
      return h.tuning_iteration == iteration.tuning_iteration;
    });
    const bool lost = iteration.makespan_ns == 0 && contains(with_device_work, iteration.tuning_iteration);
    if (own != host.end() && !lost && contains(with_host_work, iteration.tuning_iteration)) {
      iteration.makespan_ns = std::max(iteration.makespan_ns, own->end_ns - own->begin_ns);
    }
  }
}

}  // namespace cuda

std::unique_ptr<Timer> cuda_or_host_timer() {
  if (!cuda_problem().empty()) {
    return host_timer();
  }
  // A kernel may be made by the region's first run; but then the program has a context for its data.
  const auto kernels = LaunchRegistry::instance().kernels();
  const bool on_device = std::any_of(kernels.begin(), kernels.end(),
                                     [](const auto& kernel) { return kernel->traits().takes_stream; });
  if (!on_device && cuda::active_contexts().empty()) {
    return host_timer();
  }
  return std::make_unique<cuda::MixedTimer>(cuda_timer());
}

bool detail::use_cuda_or_host_timer() {
  set_default_timer(cuda_or_host_timer);
  return true;
}

}  // namespace contextual
