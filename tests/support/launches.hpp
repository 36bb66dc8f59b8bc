#pragma once

/// \file
/// Launches without a tuner around them, for tests of what a run keeps of them.

#include "contextual/launch/run_context.hpp"

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/launch_registry.hpp>
#include <contextual/timer.hpp>

#include <time.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace contextual::test::launch_test {

/// A kernel without a launcher, with a space of `config_count` configs.
inline std::shared_ptr<detail::KernelCore> core_of(const std::string& name, const std::string& coupling = {},
                                                   std::size_t config_count = 1) {
  detail::KernelTraits traits;
  traits.name = name;
  traits.coupling = coupling;
  traits.space = [config_count] {
    return SpaceView{config_count, config_count, std::vector<Config>(config_count)};
  };
  return std::make_shared<detail::KernelCore>(std::move(traits));
}

/// The processor time of the calling thread: other processes of a busy machine do not add to it.
inline std::chrono::nanoseconds thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Does `step` for 0 to `count` - 1, and gives up after 20 seconds of `thread_time`. Returns how many were
/// done.
template <typename Step>
std::int64_t steps_done(std::int64_t count, Step&& step) {
  const auto end = thread_time() + std::chrono::seconds(20);
  std::int64_t done = 0;
  for (; done < count && thread_time() < end; ++done) {
    step(done);
  }
  return done;
}

/// What one rank knows of its launches in one `run`.
struct Run {
  std::unique_ptr<Timer> timer = host_timer();
  detail::RunContext context;

  explicit Run(const std::string& region)
      : context(region, LaunchRegistry::instance().region_id({}, region), *timer, detail::Reuse::lasting,
                detail::Namesakes::are_of_ranks) {}

  /// The problem of a launch on the thread of `run`, found and recorded as LaunchCall does.
  detail::ProblemSlot* launch(const detail::KernelCore& core, const Key& key) {
    detail::ProblemSlot* slot = context.find(core, key, {});
    if (slot != nullptr) {
      detail::LaunchRecord record;
      record.slot = slot;
      context.threads().front().records.push_back(record);
    }
    return slot;
  }
};

}  // namespace contextual::test::launch_test

namespace launch_test = contextual::test::launch_test;
