/// \file
/// Counts what the driver and CUPTI are asked for while a region runs: launches, and next to nothing else.

#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

namespace contextual::test::cuda_test::region_calls_test {

namespace {

using Counts = std::map<std::string, std::size_t>;

constexpr std::size_t launches = 5;  // of a run of the region

/// The calls of every tuning iteration of a run, from just before the timer's `begin_iteration` to just after
/// its `end_iteration`, and how often CUPTI was flushed for each batch.
struct CountedRun {
  std::vector<Counts> iterations;
  std::vector<std::size_t> flushes;
};

CountedRun counted_run(const TimerFactory& timer, bool load_before, Iterations iterations) {
  ScriptedGpu gpu;
  CallLog& log = gpu.driver.log();
  std::vector<CUstream> streams{gpu.driver.make_stream(), gpu.driver.make_stream()};
  Block one("counted_one");
  Block other("counted_other", {64, 96});
  if (load_before) {
    one.load();
    other.load();
  }
  CountedRun counted;
  std::size_t begin = 0;
  std::size_t flushed_before = 0;
  Options options = options_with(timer);
  options.iterations = iterations;
  options.before_iteration = [&](const IterationInfo& info) {
    flushed_before = info.tuning_iteration == 0 ? log.count("cuptiActivityFlushAll") : flushed_before;
    begin = log.size();
  };
  options.after_iteration = [&](const IterationInfo&) { counted.iterations.push_back(log.counts(begin)); };
  options.progress = [&](const Progress&) {
    const std::size_t flushed = log.count("cuptiActivityFlushAll");
    counted.flushes.push_back(flushed - flushed_before);
    flushed_before = flushed;
  };
  ContextualAutotuner tuner(options);
  tuner.run("counted", [&] {
    one(streams[0], 1);
    one(streams[0], 1);
    other(streams[1], 1);
    other(streams[0], 2);
    one(streams[1], 3);
  });
  CHECK(counted.iterations.size() > 12);
  CHECK(counted.flushes.size() > 3);
  return counted;
}

/// The calls that join an iteration to the next one on the device, added to those that are allowed. None of
/// them waits. The first iteration makes the event.
Counts with_join(Counts allowed, Iterations iterations, std::size_t iteration) {
  if (iterations == Iterations::joined) {
    for (const char* name : {"cuStreamIsCapturing", "cuCtxRecordEvent", "cuCtxWaitEvent"}) {
      ++allowed[name];
    }
    for (const char* name : {"cuCtxPushCurrent", "cuCtxPopCurrent"}) {
      allowed[name] += iteration == 0 ? 2 : 1;
    }
    allowed["cuEventCreate"] += iteration == 0 ? 1 : 0;
  }
  return allowed;
}

/// What is left when calls that wait for nothing and make nothing are taken away; those at most so often.
Counts beyond(Counts counts, const Counts& allowed) {
  for (const auto& [name, most] : allowed) {
    if (counts.contains(name) && counts[name] <= most) {
      counts.erase(name);
    }
  }
  return counts;
}

}  // namespace

TEST_CASE(
    "CUPTI timer: in a tuning iteration, the first one too, only launches and questions reach the driver") {
  const bool load_before = GENERATE(true, false);  // else the run loads the defaults before it begins
  const Iterations iterations = GENERATE(Iterations::joined, Iterations::pipelined);
  const CountedRun counted = counted_run(cuda_cupti_timer, load_before, iterations);
  for (std::size_t i = 0; i < counted.iterations.size(); ++i) {
    INFO("tuning iteration " << i);
    CHECK(counted.iterations[i].at("cuLaunchKernelEx") == launches);
    const Counts allowed{{"cuLaunchKernelEx", launches},
                         {"cuStreamIsCapturing", launches},
                         {"cuCtxGetCurrent", 2 * launches + 1},
                         {"cuDriverGetVersion", 2}};
    CHECK(beyond(counted.iterations[i], with_join(allowed, iterations, i)) == Counts{});
  }
  for (const std::size_t flushes : counted.flushes) {
    CHECK(flushes == 1);
  }
}

TEST_CASE(
    "event timer: in a tuning iteration, the first one too, only launches, events and questions reach "
    "the driver") {
  const bool load_before = GENERATE(true, false);
  const Iterations iterations = GENERATE(Iterations::joined, Iterations::pipelined);
  const CountedRun counted = counted_run(cuda_event_timer, load_before, iterations);
  for (std::size_t i = 0; i < counted.iterations.size(); ++i) {
    INFO("tuning iteration " << i);
    CHECK(counted.iterations[i].at("cuLaunchKernelEx") == launches);
    CHECK(counted.iterations[i].at("cuEventRecord") >= 2 * launches);
    const std::size_t of_iteration = iterations == Iterations::joined ? 2 : 0;
    const Counts allowed{{"cuLaunchKernelEx", launches},
                         {"cuStreamIsCapturing", launches},
                         {"cuCtxGetCurrent", 2 * launches + 1},
                         {"cuStreamGetCtx", launches},
                         {"cuEventRecord", 2 * launches + 1 + of_iteration}};
    CHECK(beyond(counted.iterations[i], with_join(allowed, iterations, i)) == Counts{});
  }
}

TEST_CASE("launch outside of tuning: launches, nothing else") {
  ScriptedGpu gpu;
  Block block("counted_alone");
  block(gpu.stream, 1);  // loads
  const std::size_t begin = gpu.driver.log().size();
  block(gpu.stream, 1);
  CHECK(gpu.driver.log().counts(begin) == Counts{{"cuLaunchKernelEx", 1}});
}

}  // namespace contextual::test::cuda_test::region_calls_test
