/// \file
/// Launches that the driver refuses: the config is out with the driver's words, the same call launches
/// another one, and what was there before a launch is not blamed on it.

#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

namespace contextual::test::cuda_test::failing_launch_test {

TEST_CASE("failing launch: is rejected with the driver's words, and the fallback is launched in its place") {
  const auto [code, words] = GENERATE(
      table<CUresult, std::string>({{CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY: scripted"},
                                    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE: scripted"}}));
  const TimerFactory timer = GENERATE(TimerFactory(cuda_cupti_timer), TimerFactory(cuda_event_timer));
  ScriptedGpu gpu;
  Block block("failing_config");
  std::vector<unsigned> launched;  // of the run of the region that is under way
  int refused = 0;
  gpu.driver.launch_result = [&, failure = code](const Launch& launch) {
    if (launch.function != "k") {
      return CUDA_SUCCESS;
    }
    if (launch.block == 256) {
      ++refused;
      return failure;
    }
    launched.push_back(launch.block);
    return CUDA_SUCCESS;
  };
  Options options = options_with(timer);
  int runs_without_one_launch = 0;
  options.before_iteration = [&](const IterationInfo&) { launched.clear(); };
  options.after_iteration = [&](const IterationInfo&) {
    runs_without_one_launch += launched.size() == 1 ? 0 : 1;
  };
  const ProblemReport problem =
      of_kernel(tuned(options, "failing_config", [&] { block(gpu.stream, 1); }), "failing_config");
  CHECK(problem.choice == 1);
  REQUIRE(problem.configs[2].rejection.has_value());
  CHECK_THAT(*problem.configs[2].rejection, ContainsSubstring(words));
  CHECK(problem.configs[2].time.count == 0);
  CHECK(problem.configs[1].time.count == 3);
  CHECK(refused == 1);  // known from then on
  CHECK(runs_without_one_launch == 0);
}

TEST_CASE("failing launch: one failure of a config among sound ones makes no sample of its fallback") {
  ScriptedGpu gpu;
  Block block("failing_late");
  int launches = 0;
  gpu.driver.launch_result = [&](const Launch& launch) {
    return launch.block == 256 && ++launches == 3 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  };
  const ProblemReport problem =
      of_kernel(tuned(cuda_cupti_timer, "failing_late", [&] { block(gpu.stream, 1); }), "failing_late");
  CHECK(problem.choice == 1);
  CHECK(problem.configs[2].rejection.has_value());
  CHECK(problem.configs[0].time.centre_ns == static_cast<double>(ScriptedGpu::duration_of(64)));
  CHECK(problem.configs[1].time.centre_ns == static_cast<double>(ScriptedGpu::duration_of(128)));
}

TEST_CASE("failing launch: when every config fails the error has all the driver's words") {
  ScriptedGpu gpu;
  Block block("failing_all");
  bool fails = false;
  gpu.driver.launch_result = [&](const Launch& launch) {
    return fails && launch.function == "k" ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  };
  ContextualAutotuner tuner(options_with(cuda_cupti_timer));
  int runs = 0;
  const std::string text = error_text<TuningFailedError>([&] {
    tuner.run("failing_all", [&] {
      fails = ++runs > 1;
      block(gpu.stream, 1);
    });
  });
  CHECK_THAT(text, ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY"));
  CHECK_FALSE(gpu.cupti.subscribed());
}

TEST_CASE("failing launch: a call inside a launch that fails and is made up for costs no sample") {
  ScriptedGpu gpu;
  int tries = 0;
  gpu.driver.launch_result = [&](const Launch& launch) {
    return launch.function == "k" && ++tries % 2 == 1 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  };
  // As a library does that tries one kernel and takes another where that is refused.
  CUfunction function = nullptr;
  CUmodule module = nullptr;
  const cuda::Driver& api = cuda::driver();
  REQUIRE(api.cuModuleLoadData(&module, "library") == CUDA_SUCCESS);
  REQUIRE(api.cuModuleGetFunction(&function, module, "k") == CUDA_SUCCESS);
  TunableKernel library{"failing_probe", blocks(2), single_problem, [&](const test::Block&, CUstream s) {
                          CUlaunchConfig config{};
                          config.blockDimX = 100;
                          config.hStream = s;
                          if (api.cuLaunchKernelEx(&config, function, nullptr, nullptr) != CUDA_SUCCESS) {
                            api.cuLaunchKernelEx(&config, function, nullptr, nullptr);
                          }
                        }};
  const RegionReport report = tuned(cuda_cupti_timer, "failing_probe", [&] { library(gpu.stream); });
  const ProblemReport problem = of_kernel(report, "failing_probe");
  CHECK(problem.configs[1].time.count == 3);
  CHECK(problem.configs[1].time.centre_ns == static_cast<double>(ScriptedGpu::duration_of(100)));
  CHECK(report.retakes == 0);
}

TEST_CASE(
    "driver's status: a lost context is a DeviceError, wherever it is noticed; another failure a CudaError") {
  const ScriptedGpu gpu;
  CHECK_NOTHROW(cuda::check(CUDA_SUCCESS, "call"));
  CHECK_THROWS_AS(cuda::check(CUDA_ERROR_ILLEGAL_ADDRESS, "call"), DeviceError);
  CHECK_THROWS_AS(cuda::check(CUDA_ERROR_LAUNCH_FAILED, "call"), DeviceError);
  CHECK_THROWS_AS(cuda::check(CUDA_ERROR_INVALID_VALUE, "call"), CudaError);
}

TEST_CASE(
    "failing launch: a function that the driver refuses is looked for in the stream's own context, once") {
  const bool found_there = GENERATE(true, false);
  ScriptedGpu gpu;
  Block block("refused_function");
  block.load();
  int launches = 0;
  gpu.driver.launch_result = [&](const Launch&) {
    ++launches;
    return found_there && launches == 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  const std::size_t asked = gpu.driver.log().count("cuStreamGetCtx");
  if (found_there) {
    CHECK_NOTHROW(block(gpu.stream, 1));
  } else {
    CHECK_THROWS_AS(block(gpu.stream, 1), CudaError);
  }
  CHECK(launches == 2);
  CHECK(gpu.driver.log().count("cuStreamGetCtx") == asked + 1);
}

}  // namespace contextual::test::cuda_test::failing_launch_test
