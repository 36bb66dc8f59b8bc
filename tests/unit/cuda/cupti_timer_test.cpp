/// \file
/// The CUPTI timer from a launch to the choice, on a scripted GPU.

#include "contextual/cuda/cupti/cupti_session.hpp"
#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <contextual/testing/timer_conformance.hpp>

namespace contextual::test::cuda_test::cupti_timer_test {

TEST_CASE("CUPTI timer: conforms to the contract of timers") {
  ScriptedGpu gpu;
  testing::TimerCheck check{.work =
                                [&](const LaunchInfo& launch) {
                                  gpu.driver.launch_kernel(static_cast<CUstream>(launch.stream), 5'000);
                                },
                            .stream = gpu.driver.make_stream(),
                            .covers_host_work = false};
  check.other_work = [&] { gpu.driver.copy_async(static_cast<CUstream>(check.stream), 2'000); };
  CHECK(testing::check_timer(cuda_cupti_timer, check) == std::vector<std::string>{});
}

TEST_CASE("CUPTI timer: a sample is what the device took, the fastest config is chosen") {
  ScriptedGpu gpu;
  Block block("cupti_good");
  const RegionReport report = tuned(cuda_cupti_timer, "cupti_good", [&] { block(gpu.stream, 1); });
  const ProblemReport problem = of_kernel(report, "cupti_good");
  check_times(problem);
  CHECK(problem.choice == 2);
  CHECK(report.retakes == 0);
  for (const ConfigReport& config : problem.configs) {
    CHECK(config.makespan.centre_ns == config.time.centre_ns);  // there is nothing else in the region
  }
}

TEST_CASE("CUPTI timer: what is captured in later runs leaves their makespans as they are") {
  ScriptedGpu gpu;
  Block block("cupti_captured_later");
  CUstream captured = gpu.driver.make_stream();
  int runs = 0;
  const RegionReport report = tuned(cuda_cupti_timer, "cupti_captured_later", [&] {
    block(gpu.stream, 1);
    if (++runs > 3) {
      gpu.driver.begin_capture(captured);
      block(captured, 1);
      gpu.driver.end_capture(captured);
    }
  });
  const ProblemReport problem = of_kernel(report, "cupti_captured_later");
  check_times(problem);
  CHECK(problem.choice == 2);
  CHECK(report.retakes == 0);
}

TEST_CASE("holds 18: runs that a capture keeps from being told apart have no makespans") {
  struct Row {
    std::string name;
    TimerFactory timer;
    bool open;  ///< from every other run to the next; else each run's own, which events cannot tell
  };
  const Row row = GENERATE(Row{"captured_open", cuda_cupti_timer, true},
                           Row{"captured_by_events", cuda_event_timer, false});
  CAPTURE(row.name);
  ScriptedGpu gpu;
  Block block(row.name);
  CUstream captured = gpu.driver.make_stream();
  int runs = 0;
  const RegionReport report = tuned(row.timer, row.name, [&] {
    if (++runs % 2 == 1 || !row.open) {
      gpu.driver.begin_capture(captured);
    }
    block(gpu.stream, 1);
    block(captured, 1);
    if (runs % 2 == 0 || !row.open) {
      gpu.driver.end_capture(captured);
    }
  });
  if (runs % 2 == 1 && row.open) {
    gpu.driver.end_capture(captured);
  }
  const ProblemReport problem = of_kernel(report, row.name);
  CHECK(problem.choice == 2);
  for (const ConfigReport& config : problem.configs) {
    CHECK(config.time.count > 0);
    CHECK(config.makespan.count == 0);
  }
}

TEST_CASE("CUPTI timer: a record that is missing or has no sound time gives no sample, and is taken again") {
  const Fate fate = GENERATE(Fate::missing, Fate::zero_times, Fate::ends_before_it_begins);
  ScriptedGpu gpu;
  Block block("cupti_bad_record");
  int launches = 0;
  gpu.cupti.fate = [&](const Work& work) {
    const bool of_block = work.launch.function == "k";
    return of_block && ++launches % 3 == 0 ? fate : Fate::sound;
  };
  const RegionReport report = tuned(cuda_cupti_timer, "cupti_bad_record", [&] { block(gpu.stream, 1); });
  const ProblemReport problem = of_kernel(report, "cupti_bad_record");
  check_times(problem);
  CHECK(problem.choice == 2);
  CHECK(report.retakes > 0);
}

TEST_CASE("CUPTI timer: a config that only writes words in stream order has a time and can be chosen") {
  for (const SearchLevel search : {SearchLevel::off, SearchLevel::normal}) {
    ScriptedGpu gpu;
    Block beside("cupti_beside_words");
    TunableKernel transfer{"cupti_words", blocks(2), single_problem,
                           [&](const test::Block& config, CUstream s) {
                             config.block == 0 ? gpu.driver.copy_async(s, 50'000) : gpu.driver.write_word();
                           }};
    Options options = options_with(cuda_cupti_timer);
    options.search = search;
    const RegionReport report = tuned(options, "cupti_words", [&] {
      transfer(gpu.stream);
      beside(gpu.stream, 1);
    });
    const ProblemReport problem = of_kernel(report, "cupti_words");
    CHECK(problem.choice == 1);
    CHECK(problem.configs[1].time.centre_ns == 1);
    CHECK_FALSE(problem.configs[1].rejection);
  }
}

TEST_CASE("CUPTI timer: a config that leaves its work to another kernel is judged by the makespan") {
  ScriptedGpu gpu;
  bool left = false;
  TunableKernel transfer{"cupti_leaves_work", blocks(2), single_problem,
                         [&](const test::Block& config, CUstream s) {
                           left = config.block == 1;
                           left ? gpu.driver.write_word() : gpu.driver.copy_async(s, 50'000);
                         }};
  TunableKernel sum{"cupti_takes_work", blocks(1), single_problem, [&](const test::Block&, CUstream s) {
                      gpu.driver.launch_kernel(s, left ? 500'000 : 100'000);
                    }};
  Options options = options_with(cuda_cupti_timer);
  options.search = SearchLevel::normal;
  const RegionReport report = tuned(options, "cupti_leaves_work", [&] {
    transfer(gpu.stream);
    sum(gpu.stream);
  });
  CHECK(of_kernel(report, "cupti_leaves_work").choice == 0);
}

TEST_CASE("CUPTI timer: one record of a launch of several is missing: no sample, no makespan") {
  ScriptedGpu gpu;
  TunableKernel two{"cupti_half", blocks(2), single_problem, [&](const test::Block&, CUstream s) {
                      gpu.driver.launch_kernel(s, 30'000);
                      gpu.driver.launch_kernel(s, 50'000);
                    }};
  int kernels = 0;
  gpu.cupti.fate = [&](const Work& work) {
    return work.launch.function == "plain" && ++kernels % 5 == 0 ? Fate::missing : Fate::sound;
  };
  const RegionReport report = tuned(cuda_cupti_timer, "cupti_half", [&] { two(gpu.stream); });
  for (const ConfigReport& config : of_kernel(report, "cupti_half").configs) {
    CHECK(config.time.count == 3);
    CHECK(config.time.centre_ns == 80'000);
    CHECK(config.time.spread_ns == 0);
    CHECK(config.makespan.centre_ns == 80'000);
    CHECK(config.makespan.spread_ns == 0);
  }
  CHECK(report.retakes > 0);
}

TEST_CASE("CUPTI timer: dropped records make a whole batch's times void, and it is taken again") {
  ScriptedGpu gpu;
  Block block("cupti_dropped");
  std::size_t& dropped =
      GENERATE(true, false) ? gpu.cupti.dropped_at_next_flush : gpu.cupti.dropped_of_next_buffer;
  int runs = 0;
  const RegionReport report = tuned(cuda_cupti_timer, "cupti_dropped", [&] {
    if (++runs == 6) {  // within config 1's batch
      dropped = 1;
    }
    block(gpu.stream, 1);
  });
  check_times(of_kernel(report, "cupti_dropped"));
  CHECK(report.retakes == 3);
}

TEST_CASE("CUPTI timer: a launch has the time of all that it puts on devices") {
  ScriptedGpu gpu(2);
  CUstream beside = gpu.driver.make_stream(0);
  CUstream other = gpu.driver.make_stream(1);
  struct Row {
    std::string name;
    std::function<void(int config)> launch;
    std::vector<double> times_ns;  ///< of each config
    bool is_the_makespan;
  };
  for (const Row& row : {Row{"the kernels of a graph belong to the launch that launched the graph",
                             [&](int) {
                               gpu.driver.launch_graph(gpu.stream, {20'000, 30'000, 40'000});
                             },
                             {90'000, 90'000},
                             true},
                         Row{"what is captured into a graph gives no record, and the graph does",
                             [&](int) {
                               gpu.driver.begin_capture(gpu.stream);
                               gpu.driver.launch_kernel(gpu.stream, 20'000);
                               gpu.driver.end_capture(gpu.stream);
                               gpu.driver.launch_graph(gpu.stream, {20'000});
                             },
                             {20'000, 20'000},
                             true},
                         Row{"the union of kernels and copies on a device, and MAX over devices",
                             [&](int config) {
                               gpu.driver.launch_kernel(gpu.stream, 40'000);
                               gpu.driver.copy_async(gpu.stream, 10'000);  // after it: 50 us
                               gpu.driver.copy_async(beside, 100'000);     // from 2 us after it on: 102 us
                               gpu.driver.copy_async(other, config == 0 ? 60'000 : 300'000,
                                                     Work::Kind::peer_copy);
                             },
                             {102'000, 300'000},
                             false}}) {
    CAPTURE(row.name);
    TunableKernel kernel{"cupti_launches", blocks(2), single_problem,
                         [&](const test::Block& config, CUstream) { row.launch(config.block); }};
    Options options = options_with(cuda_cupti_timer);
    options.after_iteration = [&](const IterationInfo&) { gpu.driver.finish_all(); };
    const ProblemReport problem =
        of_kernel(tuned(options, "cupti_launches", [&] { kernel(gpu.stream); }), "cupti_launches");
    for (std::size_t config = 0; config < 2; ++config) {
      CHECK(problem.configs[config].time.count == 3);
      CHECK(problem.configs[config].time.centre_ns == row.times_ns[config]);
      CHECK((!row.is_the_makespan || problem.configs[config].makespan.centre_ns == row.times_ns[config]));
    }
  }
}

TEST_CASE("CUPTI timer: a launcher that launches another tunable kernel has that one's time too") {
  ScriptedGpu gpu;
  TunableKernel inner{"cupti_inner", blocks(2), single_problem,
                      [&](const test::Block&, CUstream s) { gpu.driver.launch_kernel(s, 20'000); }};
  TunableKernel outer{"cupti_outer", blocks(2), single_problem, [&](const test::Block&, CUstream s) {
                        gpu.driver.launch_kernel(s, 100'000);
                        inner(s);
                        gpu.driver.launch_kernel(s, 3'000);
                      }};
  const RegionReport report = tuned(cuda_cupti_timer, "cupti_nested", [&] { outer(gpu.stream); });
  CHECK(of_kernel(report, "cupti_inner").configs[1].time.centre_ns == 20'000);
  CHECK(of_kernel(report, "cupti_outer").configs[1].time.centre_ns == 123'000);
}

TEST_CASE("CUPTI timer: when the region has caught what a launcher threw its own work belongs to no launch") {
  ScriptedGpu gpu;
  bool throws = false;
  TunableKernel kernel{"cupti_throws", blocks(2), single_problem, [&](const test::Block&, CUstream s) {
                         gpu.driver.launch_kernel(s, 20'000);
                         if (throws) {
                           throw 5;
                         }
                       }};
  int runs = 0;
  int caught = 0;
  std::vector<std::int64_t> owners;  // of the region's copies
  const RegionReport report = tuned(cuda_cupti_timer, "cupti_throws", [&] {
    throws = ++runs == 3;
    try {
      kernel(gpu.stream);
    } catch (int) {
      ++caught;
    }
    gpu.driver.copy_async(gpu.stream, 5'000);
    owners.push_back(cuda::CuptiSession::set_launch(-1));
  });
  CHECK(caught == 1);
  CHECK(owners == std::vector<std::int64_t>(static_cast<std::size_t>(runs), -1));
  for (const ConfigReport& config : of_kernel(report, "cupti_throws").configs) {
    CHECK(config.time.count == 3);
    CHECK(config.time.centre_ns == 20'000);
    CHECK(config.time.spread_ns == 0);
  }
}

TEST_CASE("CUPTI timer: what a launcher does when it has caught what another kernel's threw is in its time") {
  ScriptedGpu gpu;
  bool throws = false;
  TunableKernel inner{"cupti_inner_throws", blocks(2), single_problem, [&](const test::Block&, CUstream s) {
                        if (throws) {
                          throw 5;
                        }
                        gpu.driver.launch_kernel(s, 20'000);
                      }};
  TunableKernel outer{"cupti_outer_catches", blocks(2), single_problem, [&](const test::Block&, CUstream s) {
                        gpu.driver.launch_kernel(s, 100'000);
                        try {
                          inner(s);
                        } catch (int) {
                          gpu.driver.copy_async(s, 20'000);  // in its place
                        }
                      }};
  Options options = options_with(cuda_cupti_timer);
  options.n_repeat = 1;
  int runs = 0;
  const RegionReport report = tuned(options, "cupti_caught_inside", [&] {
    throws = ++runs == 2;  // the repeat of config 0
    outer(gpu.stream);
  });
  const ProblemReport problem = of_kernel(report, "cupti_outer_catches");
  for (const ConfigReport& config : problem.configs) {
    CHECK(config.time.centre_ns == 120'000);
    CHECK(config.time.spread_ns == 0);
  }
}

TEST_CASE(
    "CUPTI timer: the makespan has all that the region did, also what no launch did, and no hook's work") {
  ScriptedGpu gpu;
  Block block("cupti_makespan", {100, 200});
  Options options = options_with(cuda_cupti_timer);
  options.before_iteration = [&](const IterationInfo&) { gpu.driver.copy_unwatched(7'000'000); };
  options.after_iteration = [&](const IterationInfo&) { gpu.driver.copy_unwatched(9'000'000); };
  const RegionReport report = tuned(options, "cupti_makespan", [&] {
    gpu.driver.launch_kernel(gpu.stream, 50'000);
    block(gpu.stream, 1);
    gpu.driver.copy_async(gpu.stream, 20'000);
    gpu.driver.copy_unwatched(500'000);  // on another stream, begun before the others have ended
  });
  const ProblemReport problem = of_kernel(report, "cupti_makespan");
  for (const ConfigReport& config : problem.configs) {
    CHECK(config.makespan.centre_ns > 500'000);
    CHECK(config.makespan.centre_ns < 600'000);
  }
}

TEST_CASE("CUPTI timer: launches of a region's threads on several devices are waited for and timed") {
  ScriptedGpu gpu(3);
  std::vector<CUstream> streams{gpu.driver.make_stream(0), gpu.driver.make_stream(1),
                                gpu.driver.make_stream(2)};
  Block block("cupti_threads", {100, 200});
  std::set<CUcontext> waited_for;
  std::mutex mutex;
  gpu.driver.is_busy = [&](CUcontext context) {
    const std::lock_guard lock(mutex);
    return waited_for.insert(context).second;
  };
  const RegionReport report = tuned(cuda_cupti_timer, "cupti_threads", [&] {
    const RegionContext context = RegionContext::current();
    std::vector<std::jthread> threads;
    for (int device = 1; device < 3; ++device) {
      threads.emplace_back([&, device] {
        gpu.driver.set_current(gpu.driver.context(device));
        if (device == 1) {
          const ContextGuard guard(context);
          block(streams[1], 1);
        } else {
          gpu.driver.launch_kernel(streams[2], 1'000'000);  // no tunable kernel: it is in the makespan
        }
      });
    }
  });
  check_times(of_kernel(report, "cupti_threads"));
  CHECK(of_kernel(report, "cupti_threads").configs[0].makespan.centre_ns >= 1'000'000);
  CHECK(waited_for.contains(gpu.driver.context(1)));
  CHECK(waited_for.contains(gpu.driver.context(2)));
}

TEST_CASE("CUPTI timer: more API calls in a batch than expected are taken again, with room for them") {
  ScriptedGpu gpu;
  constexpr int many = 12'000;  // times 4 iterations
  TunableKernel chatty{"cupti_chatty", blocks(2), single_problem, [&](const test::Block&, CUstream s) {
                         for (int i = 0; i < many; ++i) {
                           gpu.driver.copy_async(s, 10);
                         }
                       }};
  const RegionReport report = tuned(cuda_cupti_timer, "cupti_chatty", [&] { chatty(gpu.stream); });
  for (const ConfigReport& config : of_kernel(report, "cupti_chatty").configs) {
    CHECK(config.time.count == 3);
    CHECK(config.time.spread_ns == 0);
  }
  CHECK(report.retakes > 0);
}

TEST_CASE("timers: a region may destroy the streams that it has made") {
  ScriptedGpu gpu;
  const TimerFactory timer = GENERATE(TimerFactory(cuda_cupti_timer), TimerFactory(cuda_event_timer));
  Block block("own_stream");
  int state = 0;
  Options options = options_with(timer);
  options.restore = {{restored("state", &state, 1)}};
  const RegionReport report = tuned(options, "own_stream", [&] {
    CUstream own = gpu.driver.make_stream();
    block(own, 1);
    gpu.driver.destroyed.insert(own);
  });
  CHECK(of_kernel(report, "own_stream").choice == 2);
}

TEST_CASE("timers: a first launch is told as a hazard, also where code is loaded eagerly") {
  ScriptedGpu gpu;
  const std::string eager = "CUDA takes a kernel's local memory at its first launch";
  CHECK(cuda_cupti_timer()->loading_hazard() == eager);
  CHECK(cuda_event_timer()->loading_hazard() == eager);
  gpu.driver.loading_mode = CU_MODULE_LAZY_LOADING;
  const std::string lazy = "CUDA takes a kernel's local memory and loads its code at its first launch";
  CHECK(cuda_cupti_timer()->loading_hazard() == lazy);
  CHECK(cuda_event_timer()->loading_hazard() == lazy);
}

}  // namespace contextual::test::cuda_test::cupti_timer_test
