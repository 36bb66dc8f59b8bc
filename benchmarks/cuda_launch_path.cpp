/// \file
/// What a CudaKernel's launch costs on the host when the driver's functions return at once, locked in, and
/// while it is tuned with a timer that does nothing: the library's own path, without the driver's and CUPTI's
/// noise. Needs no GPU.
///
/// Compared with a direct call of the same scripted cuLaunchKernel with the same arguments; rounds take
/// turns.

#include "command_line.hpp"
#include "cuda_scripted_driver.hpp"
#include "figures.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/cuda.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;

struct NothingConfig {
  int block = 128;
};
using Nothing = CudaKernel<NothingConfig, float*, const float*, float, int>;

Nothing::Definition nothing_definition(bool own_parameters) {
  Nothing::Definition definition;
  definition.source = CudaSource::text("nothing.cu", "nothing is compiled here");
  definition.variant = [](const NothingConfig&) { return CudaVariant{.function = "nothing"}; };
  definition.layout = [](const NothingConfig& config, float* const&, const float* const&, const float&,
                         const int& n) {
    const auto block = static_cast<unsigned>(config.block);
    return CudaLayout{.grid = {(static_cast<unsigned>(n) + block - 1) / block}, .block = {block}};
  };
  if (own_parameters) {
    definition.parameters = [](CudaParameters& parameters, const NothingConfig&, float* const& y,
                               const float* const& x, const float& a, const int& n) {
      parameters.add(y);
      parameters.add(x);
      parameters.add(a);
      parameters.add(n);
    };
  }
  return definition;
}

struct Arguments {
  float* y = nullptr;
  const float* x = nullptr;
  float a = 2;
  int n = 1 << 20;
};

/// As an application would do it by hand.
void direct(decltype(&launch_nothing) launch, CUfunction function, CUstream stream, Arguments& args,
            unsigned block) {
  void* parameters[] = {&args.y, &args.x, &args.a, &args.n};
  const unsigned grid = (static_cast<unsigned>(args.n) + block - 1) / block;
  if (launch(function, grid, 1, 1, block, 1, 1, 0, stream, parameters, nullptr) != CUDA_SUCCESS) {
    std::abort();
  }
}

/// Prints one line; returns ns a launch over the direct call.
template <typename Launch>
double compare(const char* what, int rounds, int calls, Launch&& launch_kernel) {
  auto* volatile launch = &launch_nothing;
  auto* volatile context_call = &context_now;
  Arguments args;
  std::vector<double> direct_ns;
  std::vector<double> context_ns;
  std::vector<double> kernel_ns;
  for (int round = -rounds / 10; round < rounds; ++round) {
    if (round == 0) {  // the first ones found a core that was asleep
      direct_ns.clear();
      context_ns.clear();
      kernel_ns.clear();
    }
    direct_ns.push_back(
        ns_per_call(calls, [&] { direct(launch, handle<CUfunction>(), handle<CUstream>(), args, 128); }));
    context_ns.push_back(ns_per_call(calls, [&] {
      CUcontext context = nullptr;
      context_call(&context);
    }));
    kernel_ns.push_back(ns_per_call(calls, [&] { launch_kernel(args); }));
  }
  const double over = median(kernel_ns) - median(direct_ns);
  std::printf("%-34s %10.1f %12.1f %12.1f %10.1f\n", what, median(direct_ns), median(context_ns),
              median(kernel_ns), over);
  return over;
}

/// Every launch takes a microsecond, which nobody measured.
class NoTimer final : public Timer {
 public:
  std::string_view name() const noexcept override { return "none"; }
  void begin_iteration(std::int64_t, IterationNote&) override {}
  void end_iteration(std::int64_t, IterationNote&) override {}
  void begin_launch(const LaunchInfo&, LaunchNote&) noexcept override {}
  void end_launch(const LaunchInfo&, LaunchNote&) noexcept override {}
  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations, Deadline) override {
    for (LaunchTiming& launch : launches) {
      launch.spans = {{1, 1'001, 0}};
    }
    for (IterationTiming& iteration : iterations) {
      iteration.makespan_ns = 1'000;
    }
  }
};

/// `compare` while the kernel is tuned. Each round is a run of the region, with few launches.
template <typename Launch>
void compare_while_tuned(const char* what, int rounds, Launch&& launch_kernel) {
  constexpr int launches = 100;
  ContextualAutotuner tuner;
  auto* volatile launch = &launch_nothing;
  Arguments args;
  std::vector<double> direct_ns;
  std::vector<double> kernel_ns;
  tuner.run("while tuned",
            [&] {
              direct_ns.push_back(ns_per_call(
                  launches, [&] { direct(launch, handle<CUfunction>(), handle<CUstream>(), args, 128); }));
              kernel_ns.push_back(ns_per_call(launches, [&] { launch_kernel(args); }));
            },
            {.n_warmup = 1,
             .n_repeat = rounds,
             .search = contextual::SearchLevel::off,
             .always_tune = true,
             .log_directory = "",
             .timer = [] { return std::make_unique<NoTimer>(); }});
  std::printf("%-34s %10.1f %12s %12.1f %10.1f\n", what, median(direct_ns), "", median(kernel_ns),
              median(kernel_ns) - median(direct_ns));
}

int measure(int rounds, int calls) {
  setenv("CONTEXTUAL_CACHE_DIR", "", 1);  // what is "compiled" here must not be kept
  const cuda::Driver driver = scripted_driver();
  const cuda::Nvrtc nvrtc = scripted_compiler();
  const cuda::DriverReplacement replaced_driver(driver);
  const cuda::NvrtcReplacement replaced_nvrtc(nvrtc);

  std::printf(
      "ns a launch, scripted driver        a direct  context asked       launch   over the\n"
      "                                        call    for, alone                   direct\n");
  const ConfigSpace<NothingConfig> space{{"BLOCK", &NothingConfig::block, {128, 256}}};
  Nothing keyed(
      "nothing", space,
      [](float* const&, const float* const&, const float&, const int& n) { return make_key(n); },
      nothing_definition(false));
  Nothing with_parameters(
      "nothing, with parameters", space,
      [](float* const&, const float* const&, const float&, const int& n) { return make_key(n); },
      nothing_definition(true));
  Nothing seven_words(
      "nothing, key of 7 words", space,
      [](float* const&, const float* const&, const float& a, const int& n) {
        return make_key(n, n, n, n, n, n, a > 1);
      },
      nothing_definition(false));
  // The same launch by hand as a tunable kernel's launcher: what is left is what CudaKernel adds.
  TunableKernel by_hand(
      "by hand", space, [](CUstream, const Arguments& a) { return make_key(a.n); },
      [launch = &launch_nothing](const NothingConfig& config, CUstream stream, const Arguments& a) {
        Arguments args = a;
        direct(launch, handle<CUfunction>(), stream, args, static_cast<unsigned>(config.block));
      });
  const auto launch_by = [](Nothing& kernel) {
    kernel.load();
    return [&kernel](Arguments& args) { kernel(handle<CUstream>(), args.y, args.x, args.a, args.n); };
  };
  compare("TunableKernel, launched by hand", rounds, calls,
          [&](Arguments& args) { by_hand(handle<CUstream>(), args); });
  const double over = compare("CudaKernel, key of 1 word", rounds, calls, launch_by(keyed));
  compare("CudaKernel, key of 7 words", rounds, calls, launch_by(seven_words));
  compare("CudaKernel with `parameters`", rounds, calls, launch_by(with_parameters));
  compare_while_tuned("TunableKernel while it is tuned", rounds,
                      [&](Arguments& args) { by_hand(handle<CUstream>(), args); });
  compare_while_tuned("CudaKernel while it is tuned", rounds, launch_by(keyed));
  constexpr double goal_ns = 40;
  std::printf("\ngoal   the library's own path of a locked-in launch: %.1f ns, at most %.0f ns: %s\n", over,
              goal_ns, over <= goal_ns ? "met" : "NOT met");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"Host cost of a CudaKernel's launch with a driver that does nothing; needs no GPU"};
  int rounds = 301;
  int calls = 10'000;
  app.add_option("--rounds", rounds, "rounds of each kind")->check(CLI::Range(1, 1'000'000));
  app.add_option("--calls", calls, "launches a round")->check(CLI::Range(1, 100'000'000));
  return run_program(app, argc, argv, [&] { return measure(rounds, calls); });
}
