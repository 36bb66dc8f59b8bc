/// \file
/// What a CudaKernel's launch costs on the host over a raw launch by the driver, of the same function with
/// the same arguments: locked in, and while it is timed by CUPTI in a region that is being tuned.
///
/// Kinds of launches take turns in small batches; the stream is drained before each batch, so that no launch
/// waits for a place in the queue. Printed are ns a launch on the host: medians over rounds, and the median
/// of the rounds' differences. `cuda_launch_path` measures the same path with a driver that does nothing.
///
/// How much of a timed launch's cost is CUPTI's, is measured between the tunings: raw launches while CUPTI
/// takes kernel records and does nothing else, without callbacks. A virtual machine whose processor others
/// use as well is slower for seconds at a time, and CUPTI suffers from it more than raw launches do; so all
/// is printed twice, the second time for the quarter of the tunings beside which raw launches were fastest.

#include "cuda_bare_cupti.hpp"
#include "cuda_common.hpp"

#include <contextual/autotuner.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using Clock = std::chrono::steady_clock;

struct NothingConfig {
  int variant = 0;
};
using Nothing = CudaKernel<NothingConfig, float*, const float*, float, int>;

constexpr const char* nothing_source =
    R"(extern "C" __global__ void nothing(float* y, const float* x, float a, int n) {})";

Nothing::Definition nothing_definition() {
  Nothing::Definition definition;
  definition.source = CudaSource::text("nothing.cu", nothing_source);
  definition.variant = [](const NothingConfig& config) {
    return CudaVariant{.function = "nothing", .defines = {{"VARIANT", std::to_string(config.variant)}}};
  };
  definition.layout = [](const NothingConfig&, float* const&, const float* const&, const float&, const int&) {
    return CudaLayout{.grid = {1}, .block = {32}};
  };
  return definition;
}

struct Arguments {
  float* y = nullptr;
  const float* x = nullptr;
  float a = 2;
  int n = 1 << 20;
};

/// The function that a CudaKernel launches, as the driver knows it: taken out of a graph that captured it.
CUfunction function_of(Nothing& kernel, const Stream& stream, const Arguments& args) {
  cudaGraph_t graph = nullptr;
  CONTEXTUAL_CHECKED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  kernel(stream, args.y, args.x, args.a, args.n);
  CONTEXTUAL_CHECKED(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t node = nullptr;
  std::size_t nodes = 1;
  CONTEXTUAL_CHECKED(cudaGraphGetNodes(graph, &node, &nodes));
  CUDA_KERNEL_NODE_PARAMS parameters{};
  CONTEXTUAL_CHECKED(driver_function<decltype(::cuGraphKernelNodeGetParams)>("cuGraphKernelNodeGetParams")(
      node, &parameters));
  CONTEXTUAL_CHECKED(cudaGraphDestroy(graph));
  if (parameters.func == nullptr) {
    throw std::runtime_error("the captured launch names no function");
  }
  return parameters.func;
}

/// What is compared.
class Launches {
 public:
  Launches(Nothing& kernel, const Stream& stream)
      : kernel_(kernel),
        stream_(stream),
        launch_(driver_function<decltype(::cuLaunchKernel)>("cuLaunchKernel")),
        launch_ex_(driver_function<decltype(::cuLaunchKernelEx)>("cuLaunchKernelEx")),
        current_(driver_function<decltype(::cuCtxGetCurrent)>("cuCtxGetCurrent")),
        function_(function_of(kernel, stream, args_)) {}

  void raw() {
    void* parameters[] = {&args_.y, &args_.x, &args_.a, &args_.n};
    CONTEXTUAL_CHECKED(launch_(function_, 1, 1, 1, 32, 1, 1, 0, stream_, parameters, nullptr));
  }
  void raw_ex() {
    void* parameters[] = {&args_.y, &args_.x, &args_.a, &args_.n};
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 32;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream_;
    CONTEXTUAL_CHECKED(launch_ex_(&config, function_, parameters, nullptr));
  }
  void tunable() { kernel_(stream_, args_.y, args_.x, args_.a, args_.n); }
  void drain() const { stream_.wait(); }
  /// Part of each launch of a CudaKernel.
  void ask_for_context() {
    CUcontext context = nullptr;
    CONTEXTUAL_CHECKED(current_(&context));
  }

 private:
  Nothing& kernel_;
  const Stream& stream_;
  Arguments args_;
  decltype(&::cuLaunchKernel) launch_;
  decltype(&::cuLaunchKernelEx) launch_ex_;
  decltype(&::cuCtxGetCurrent) current_;
  CUfunction function_;
};

template <typename Launch>
double ns_per_launch(Launches& launches, int batch, Launch&& launch) {
  launches.drain();
  const auto begin = Clock::now();
  for (int i = 0; i < batch; ++i) {
    launch();
  }
  const std::chrono::duration<double, std::nano> elapsed = Clock::now() - begin;
  return elapsed.count() / batch;
}

/// One value a round.
struct Rounds {
  std::vector<double> raw;
  std::vector<double> raw_ex;
  std::vector<double> tunable;

  /// The order shifts, so that no kind always follows the same one.
  void add(Launches& launches, int batch) {
    const std::size_t first = raw.size();
    for (std::size_t i = 0; i < 3; ++i) {
      switch ((first + i) % 3) {
        case 0:
          raw.push_back(ns_per_launch(launches, batch, [&] { launches.raw(); }));
          break;
        case 1:
          raw_ex.push_back(ns_per_launch(launches, batch, [&] { launches.raw_ex(); }));
          break;
        default:
          tunable.push_back(ns_per_launch(launches, batch, [&] { launches.tunable(); }));
      }
    }
  }
  void print(const char* when) const {
    std::printf("%-28s %14.0f %16.0f %12.0f %14.1f %16.1f\n", when, median(raw), median(raw_ex),
                median(tunable), median(differences(tunable, raw)), median(differences(tunable, raw_ex)));
  }
};

Rounds measure(Launches& launches, int rounds, int batch) {
  Rounds warm_up;
  for (int i = 0; i < rounds / 10 + 1; ++i) {
    warm_up.add(launches, batch);
  }
  Rounds result;
  for (int i = 0; i < rounds; ++i) {
    result.add(launches, batch);
  }
  return result;
}

Options tuning(const TimerFactory& timer, int repeats) {
  return {.n_warmup = 2,
          .n_repeat = repeats,
          .finals = false,
          .always_tune = true,
          .log_directory = "",
          .timer = timer};
}

/// The value that `share` of the values are at most, of at least one value.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// ns a launch of one tuning, of bare CUPTI, and of raw launches before, between and after them: CUPTI comes
/// and goes, and a machine's speed may change within a second.
struct TimedSample {
  double raw_before = 0;
  double raw_beside = 0;     ///< the tuner's CUPTI
  double raw_ex_beside = 0;  ///< likewise
  double timed = 0;
  double raw_between = 0;
  double raw_beside_bare = 0;  ///< CUPTI
  double raw_after = 0;

  double raw() const { return (raw_before + raw_between) / 2; }
  double slowest_raw() const { return std::max({raw_before, raw_between, raw_after}); }
};

/// Host time of timed launches over raw ones.
class TimedOverRaw {
 public:
  TimedOverRaw(Launches& launches, int batch) : launches_(launches), batch_(batch) {}

  void add_tuning() {
    TimedSample sample;
    sample.raw_before = raw_now();
    add_tuned(sample);
    sample.raw_between = raw_now();
    add_bare_cupti(sample);
    sample.raw_after = raw_now();
    samples_.push_back(sample);
  }

  void print() const {
    print(samples_, "tunings");
    print(fastest_quarter(), "of them, beside which raw launches were fastest");
    std::printf("cuCtxGetCurrent beside the tuner's CUPTI: %.0f ns\n", median(context_));
  }
  double over_raw() const { return median_over_raw(samples_); }
  double least_disturbed_over_raw() const { return median_over_raw(fastest_quarter()); }

 private:
  using Samples = std::vector<TimedSample>;
  static constexpr int repeats = 20;

  void add_tuned(TimedSample& sample) {
    std::vector<double> raw;
    std::vector<double> raw_ex;
    std::vector<double> timed;
    int iteration = 0;
    ContextualAutotuner tuner;
    tuner.run(
        "timed",
        [&] {
          const double raw_ns = ns_per_launch(launches_, batch_, [&] { launches_.raw(); });
          const double raw_ex_ns = ns_per_launch(launches_, batch_, [&] { launches_.raw_ex(); });
          const double timed_ns = ns_per_launch(launches_, batch_, [&] { launches_.tunable(); });
          context_.push_back(ns_per_launch(launches_, batch_, [&] { launches_.ask_for_context(); }));
          if (iteration++ > 1) {  // the first ones find CUPTI just attached
            raw.push_back(raw_ns);
            raw_ex.push_back(raw_ex_ns);
            timed.push_back(timed_ns);
          }
        },
        tuning(cuda_cupti_timer, repeats));
    for (auto* values : {&raw, &raw_ex, &timed}) {
      values->pop_back();  // the final run is not timed
    }
    sample.raw_beside = mean(raw);
    sample.raw_ex_beside = mean(raw_ex);
    sample.timed = mean(timed);
  }

  void add_bare_cupti(TimedSample& sample) {
    std::vector<double> times;
    const BareCupti cupti;
    for (int i = 0; i < 4 * repeats; ++i) {
      times.push_back(ns_per_launch(launches_, batch_, [&] { launches_.raw(); }));
    }
    launches_.drain();
    sample.raw_beside_bare = mean({times.begin() + 4, times.end()});
  }

  double raw_now() {
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
      times.push_back(ns_per_launch(launches_, batch_, [&] { launches_.raw(); }));
    }
    return mean(times);
  }

  /// Chosen by raw launches without CUPTI alone: where these are fast by chance, the difference to them only
  /// looks larger.
  Samples fastest_quarter() const {
    Samples chosen = samples_;
    std::sort(chosen.begin(), chosen.end(),
              [](const TimedSample& a, const TimedSample& b) { return a.slowest_raw() < b.slowest_raw(); });
    chosen.resize((chosen.size() + 3) / 4);
    return chosen;
  }

  template <typename Value>
  static std::vector<double> values(const Samples& samples, Value&& value) {
    std::vector<double> all;
    std::transform(samples.begin(), samples.end(), std::back_inserter(all), value);
    return all;
  }
  static double median_over_raw(const Samples& samples) {
    return median(values(samples, [](const TimedSample& s) { return s.timed - s.raw(); }));
  }

  static void print(const Samples& samples, const char* which) {
    std::printf("%zu %s\n", samples.size(), which);
    std::printf("ns a launch%30s %10s %10s %24s %10s %10s\n", "median", "quarter", "3 quarters",
                "over raw: median", "quarter", "3 quarters");
    print("raw without CUPTI", values(samples, [](const TimedSample& s) { return s.raw(); }), {});
    print("raw beside bare CUPTI", values(samples, [](const TimedSample& s) { return s.raw_beside_bare; }),
          values(samples,
                 [](const TimedSample& s) { return s.raw_beside_bare - (s.raw_between + s.raw_after) / 2; }));
    print("raw beside the tuner's CUPTI", values(samples, [](const TimedSample& s) { return s.raw_beside; }),
          values(samples, [](const TimedSample& s) { return s.raw_beside - s.raw(); }));
    print("cuLaunchKernelEx beside it", values(samples, [](const TimedSample& s) { return s.raw_ex_beside; }),
          values(samples, [](const TimedSample& s) { return s.raw_ex_beside - s.raw(); }));
    print("timed", values(samples, [](const TimedSample& s) { return s.timed; }),
          values(samples, [](const TimedSample& s) { return s.timed - s.raw(); }));
  }

  static void print(const char* what, const std::vector<double>& values, const std::vector<double>& over) {
    std::printf("%-30s %11.0f %10.0f %10.0f", what, median(values), quantile(values, 0.25),
                quantile(values, 0.75));
    if (!over.empty()) {
      std::printf(" %24.0f %10.0f %10.0f", median(over), quantile(over, 0.25), quantile(over, 0.75));
    }
    std::printf("\n");
  }

  Launches& launches_;
  int batch_;
  Samples samples_;
  std::vector<double> context_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Host cost of a CudaKernel's launch over a raw launch by the driver"};
  int rounds = 2000;
  int batch = 50;
  int tunings = 60;
  app.add_option("--rounds", rounds, "rounds of one batch of each kind")->capture_default_str();
  app.add_option("--batch", batch, "launches a batch")->capture_default_str();
  app.add_option("--tunings", tunings, "tunings whose launches are timed")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  return run_program(app, argc, argv, [&] {
    Stream stream;
    Nothing kernel(
        "nothing", {{"VARIANT", &NothingConfig::variant, {0, 1}}},
        [](float* const&, const float* const&, const float&, const int& n) { return make_key(n); },
        nothing_definition());
    kernel.load();
    Launches launches(kernel, stream);
    ContextualAutotuner tuner;
    // By events, so that CUPTI has not been in the process yet.
    tuner.run(
        "lock in", [&] { launches.tunable(); }, tuning(cuda_event_timer, 3));

    std::printf(
        "ns a launch                  cuLaunchKernel cuLaunchKernelEx   CudaKernel over the first  over the "
        "second\n");
    const Rounds locked_in = measure(launches, rounds, batch);
    locked_in.print("locked in");
    TimedOverRaw timed(launches, batch);
    for (int i = 0; i < tunings; ++i) {
      timed.add_tuning();
    }
    const Rounds after = measure(launches, rounds, batch);
    after.print("locked in, after tuning");
    std::vector<double> context;
    for (int i = 0; i < 101; ++i) {
      context.push_back(ns_per_launch(launches, 1000, [&] { launches.ask_for_context(); }));
    }
    std::printf("\ncuCtxGetCurrent alone: %.1f ns\n", median(context));
    timed.print();
    std::printf("\n");
    goal_at_most("locked-in launch over a raw cuLaunchKernel",
                 median(differences(locked_in.tunable, locked_in.raw)), 40, "ns");
    goal_at_most("locked-in launch over a raw cuLaunchKernel, after tuning",
                 median(differences(after.tunable, after.raw)), 40, "ns");
    goal_at_most("timed launch over a raw cuLaunchKernel without CUPTI", timed.over_raw(), 800, "ns");
    goal_at_most("the same, of the quarter of tunings with the fastest raw launches",
                 timed.least_disturbed_over_raw(), 800, "ns");
    return 0;
  });
}
