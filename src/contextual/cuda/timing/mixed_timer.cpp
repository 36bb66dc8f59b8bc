#include "contextual/cuda/timing/mixed_timer.hpp"

#include "contextual/cuda/cupti/active_contexts.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/cuda/timer.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace contextual {
namespace cuda {
namespace {

bool has_extent(const IterationTiming& iteration) {
  return iteration.end_ns > iteration.begin_ns;
}

void add_host_time(IterationTiming& iteration, const IterationTiming& host, bool device_used) {
  if (has_extent(iteration)) {
    iteration.end_ns = std::max(iteration.end_ns, iteration.begin_ns + host.makespan_ns);
  } else if (!device_used) {
    iteration.begin_ns = host.begin_ns;
    iteration.end_ns = host.end_ns;
  }
  iteration.makespan_ns = std::max(iteration.makespan_ns, host.makespan_ns);
}

}  // namespace

MixedTimer::MixedTimer(std::unique_ptr<Timer> device) : device_(std::move(device)), host_(host_timer()) {}

std::unique_ptr<Timer> MixedTimer::make_substitute() {
  auto substitute = device_->make_substitute();
  return substitute ? std::make_unique<MixedTimer>(std::move(substitute)) : nullptr;
}

void MixedTimer::begin_iteration(std::int64_t tuning_iteration, IterationNote& note) {
  IterationTiming& on_host = iterations_.emplace_back();
  on_host.tuning_iteration = tuning_iteration;
  device_->begin_iteration(tuning_iteration,
                           note);  // what it does before the region is none of the host's work
  host_->begin_iteration(tuning_iteration, on_host.note);
}

void MixedTimer::end_iteration(std::int64_t tuning_iteration, IterationNote& note) {
  device_->end_iteration(tuning_iteration, note);
  host_->end_iteration(tuning_iteration, iterations_.back().note);
}

void MixedTimer::begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept {
  if (launch.on_stream) {
    device_->begin_launch(launch, note);
  } else {
    host_->begin_launch(launch, note);
    note.begin = -note.begin;  // a device timer's notes begin at 0 or above
  }
}

void MixedTimer::end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept {
  (launch.on_stream ? device_ : host_)->end_launch(launch, note);
}

void MixedTimer::settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
                        Deadline deadline) {
  Part on_device;
  Part on_host;
  for (LaunchTiming& launch : launches) {
    (launch.note.begin < 0 ? on_host : on_device).add(launch);
  }
  for (LaunchTiming& launch : on_host.launches) {
    launch.note.begin = -launch.note.begin;
  }
  std::vector<IterationTiming> host_iterations = std::exchange(iterations_, {});
  device_->settle(on_device.launches, iterations, Deadline::after(deadline.remaining()));
  host_->settle(on_host.launches, host_iterations, Deadline::after(deadline.remaining()));
  on_device.give_back();
  on_host.give_back();
  const bool device_used = std::any_of(iterations.begin(), iterations.end(), has_extent);
  for (IterationTiming& iteration : iterations) {
    const bool lost =
        iteration.makespan_ns == 0 && on_device.tuning_iterations.contains(iteration.tuning_iteration);
    if (lost || !on_host.tuning_iterations.contains(iteration.tuning_iteration)) {
      continue;
    }
    for (const IterationTiming& host : host_iterations) {
      if (host.tuning_iteration == iteration.tuning_iteration) {
        add_host_time(iteration, host, device_used);
      }
    }
  }
}

void MixedTimer::Part::add(LaunchTiming& launch) {
  launch.spans.clear();
  owners.push_back(&launch);
  launches.push_back(launch);
  tuning_iterations.insert(launch.tuning_iteration);
}

void MixedTimer::Part::give_back() {
  for (std::size_t i = 0; i < owners.size(); ++i) {
    owners[i]->spans = std::move(launches[i].spans);
    owners[i]->idle = launches[i].idle;
    owners[i]->untimed = launches[i].untimed;
  }
}

}  // namespace cuda

std::unique_ptr<Timer> cuda_or_host_timer() {
  return cuda_or_host_timer_with({});
}

std::unique_ptr<Timer> cuda_or_host_timer_with(const CuptiTimerOptions& options) {
  if (!cuda_problem().empty()) {
    return host_timer();
  }
  // A kernel may be made by the region's first run; but then the program has a context for its data.
  const auto kernels = LaunchRegistry::instance().kernels();
  const bool on_device = std::any_of(kernels.begin(), kernels.end(),
                                     [](const auto& kernel) { return kernel->traits().works_on_stream(); });
  if (!on_device && cuda::active_contexts().empty()) {
    return host_timer();
  }
  return std::make_unique<cuda::MixedTimer>(cuda_timer_with(options));
}

}  // namespace contextual
