/// \file
/// The own GEMM for Hopper, tuned, and a GEMM tuned over that one's configs and cuBLASLt's algorithms, beside
/// cuBLAS with the algorithm that it chooses itself.
///
/// They take turns on the same data, drawn from a normal distribution; a turn is several launches back to
/// back between two events. Printed are medians over rounds, and the median of the rounds' ratios: above 1,
/// ours is faster.

#include "cuda_common.hpp"
#include "cuda_cublas.hpp"
#include "cuda_turns.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/gemm_implementations.hpp>
#include <contextual/kernels/cuda/half_bits.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using kernels::cuda::GemmArgs;
using kernels::cuda::GemmType;

struct Settings : TurnSettings {
  Settings() : TurnSettings{{"4096x4096x4096", "8192x28672x8192", "8192x11008x4096"}, 21, 10} {}

  bool fp16 = false;
  bool all_configs = false;
  double goal = 0.85;
  double goal_any = 0.99;
  std::string json;
};

/// One of the two that are tuned.
struct Tuned {
  double us = 0;
  double ratio = 0;  ///< cuBLAS's time over its own
  double tuning_seconds = 0;
  std::vector<ProblemReport> problems;
};

/// What is launched: the kernel of the alternative that was chosen, where there are alternatives.
const ProblemReport& launched(const std::vector<ProblemReport>& problems) {
  const std::string end = " " + problems.at(0).choice_config.to_string();
  for (const ProblemReport& problem : problems) {
    const std::size_t colon = problem.key.rfind(": ");
    const std::string alternative =
        colon == std::string::npos ? "" : " {alternative" + problem.key.substr(colon) + "}";
    if (&problem != &problems.front() && alternative == end) {
      return problem;
    }
  }
  return problems.front();
}

struct Result {
  Tuned ours;
  Tuned any;
  double cublas_us = 0;
};

class Comparison {
 public:
  Comparison(const ProductShape& shape, const Settings& settings)
      : settings_(settings),
        shape_(shape),
        a_(shape.m, shape.k, settings.fp16, 1),
        b_(shape.n, shape.k, settings.fp16, 2),
        ours_(count()),
        theirs_(count()),
        cublas_(stream_),
        stopwatch_(stream_) {}

  Result measure() {
    const auto own = [this] { kernels::cuda::gemm()(stream_, args()); };
    const auto any = [this] { kernels::cuda::gemm_implementations(stream_, args()); };
    Result result;
    tune("cuda_gemm", own, result.ours);
    tune("cuda_gemm_implementations", any, result.any);
    std::vector<double> own_us;
    std::vector<double> any_us;
    std::vector<double> their_us;
    for (int round = -1; round < settings_.rounds; ++round) {
      const double times[] = {time(own), time([&] { cublas_.gemm(args(), theirs_.get()); }), time(any)};
      if (round == 0) {
        require_equal();  // what `any` left behind
      }
      if (round >= 0) {
        own_us.push_back(times[0]);
        their_us.push_back(times[1]);
        any_us.push_back(times[2]);
      }
    }
    own();
    require_equal();
    result.cublas_us = median(their_us);
    summarize(own_us, their_us, result.ours);
    summarize(any_us, their_us, result.any);
    return result;
  }

 private:
  std::size_t count() const { return element_count(shape_.m, shape_.n); }
  GemmArgs args() const {
    return {.a = a_.get(),
            .b = b_.get(),
            .c = ours_.get(),
            .m = shape_.m,
            .n = shape_.n,
            .k = shape_.k,
            .type = settings_.fp16 ? GemmType::fp16 : GemmType::bf16};
  }
  double time(const std::function<void()>& launch) const {
    return stopwatch_.us_per_launch(settings_.launches, launch);
  }

  static void tune(const char* region, const std::function<void()>& launch, Tuned& tuned) {
    ContextualAutotuner tuner{{.log_directory = "", .timer = cuda_timer}};
    tuned.tuning_seconds = elapsed([&] { tuner.run(region, launch); });
    const Report report = tuner.report();
    tuned.problems = report.find(region)->problems;
  }

  static void summarize(const std::vector<double>& us, const std::vector<double>& their_us, Tuned& tuned) {
    tuned.us = median(us);
    tuned.ratio = median(ratios(their_us, us));
  }

  /// Of the first and the last elements; both round sums of floats once.
  void require_equal() const {
    const std::size_t part = std::min<std::size_t>(count(), 1 << 20);
    const auto from_bits = settings_.fp16 ? kernels::cuda::from_fp16 : kernels::cuda::from_bf16;
    for (const std::size_t first : {std::size_t{0}, count() - part}) {
      require_less(difference(ours_.download(first, part), theirs_.download(first, part), from_bits), 5e-3);
    }
  }

  const Settings& settings_;
  ProductShape shape_;
  RandomMatrix a_;
  RandomMatrix b_;
  Buffer<std::uint16_t> ours_;
  Buffer<std::uint16_t> theirs_;
  Stream stream_;
  Cublas cublas_;
  Stopwatch stopwatch_;
};

void print_configs(const ProblemReport& problem) {
  std::vector<ConfigReport> configs = problem.configs;
  std::sort(configs.begin(), configs.end(),
            [](const ConfigReport& x, const ConfigReport& y) { return x.time.centre_ns < y.time.centre_ns; });
  for (const ConfigReport& config : configs) {
    std::printf("  %9.1f us  config-%zu %s %s\n", config.time.centre_ns / 1e3, config.config_id,
                config.config.to_string().c_str(),
                config.rejection.value_or(config.left_out ? "left out" : "").c_str());
  }
}

double tflops(const ProductShape& shape, double us) {
  return 2e-6 * shape.m * shape.n * shape.k / us;
}

nlohmann::json json_of(const Tuned& tuned) {
  return {{"us", tuned.us},
          {"ratio", tuned.ratio},
          {"tuning_s", tuned.tuning_seconds},
          {"kernel", launched(tuned.problems).kernel},
          {"config", launched(tuned.problems).choice_config.to_string()}};
}

/// Returns whether both goals were met.
bool compare_shape(const std::string& text, const Settings& settings, nlohmann::json& rows) {
  const ProductShape shape(text);
  const Result result = Comparison(shape, settings).measure();
  std::printf("%-16s %-8s %9.1f %8.1f\n", text.c_str(), "cuBLAS", result.cublas_us,
              tflops(shape, result.cublas_us));
  for (const Tuned* tuned : {&result.ours, &result.any}) {
    const ProblemReport& choice = launched(tuned->problems);
    std::printf("%-16s %-8s %9.1f %8.1f %7.3f %9.2f  %s %s\n", "", tuned == &result.ours ? "own" : "any",
                tuned->us, tflops(shape, tuned->us), tuned->ratio, tuned->tuning_seconds,
                choice.kernel.c_str(), choice.choice_config.to_string().c_str());
    for (const ProblemReport& problem :
         settings.all_configs ? tuned->problems : std::vector<ProblemReport>()) {
      std::printf("  %s %s\n", problem.kernel.c_str(), problem.key.c_str());
      print_configs(problem);
    }
  }
  std::fflush(stdout);
  rows.push_back({{"m", shape.m},
                  {"n", shape.n},
                  {"k", shape.k},
                  {"cublas_us", result.cublas_us},
                  {"own", json_of(result.ours)},
                  {"any", json_of(result.any)}});
  return result.ours.ratio >= settings.goal && result.any.ratio >= settings.goal_any;
}

int compare(const Settings& settings) {
  nlohmann::json rows = nlohmann::json::array();
  bool met = true;
  std::printf("%-16s %-8s %9s %8s %7s %9s  %s\n", "m x n x k", "", "us", "TFLOP/s", "ratio", "tuning s",
              "config");
  for (const std::string& text : settings.shapes) {
    met = compare_shape(text, settings, rows) && met;
  }
  write_figures(settings.json, rows);
  std::printf(
      "goal   cuBLAS's time over the own GEMM's at least %.2f, over that of any implementation at least "
      "%.2f, "
      "every shape: %s\n",
      settings.goal, settings.goal_any, met ? "met" : "NOT met");
  return met ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  BenchmarkApp app{"The own GEMM, tuned, beside cuBLAS"};
  app.add_option("--shapes", settings.shapes, "MxNxK, ...")->delimiter(',');
  add_turn_options(app, settings);
  app.add_flag("--fp16", settings.fp16, "instead of bf16");
  app.add_flag("--all-configs", settings.all_configs, "the time of every config while tuning");
  app.add_option("--goal", settings.goal, "least ratio of the own GEMM");
  app.add_option("--goal-any", settings.goal_any, "least ratio of any implementation");
  app.add_option("--json", settings.json, "file for the figures");
  return run_on_gpu(app, argc, argv, [&] { return compare(settings); });
}
