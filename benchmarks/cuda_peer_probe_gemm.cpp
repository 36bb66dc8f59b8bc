#include "cuda_common.hpp"
#include "cuda_cublas.hpp"
#include "cuda_peer_probe.hpp"
#include "cuda_turns.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/gemm.hpp>

#include <cstdio>
#include <functional>

namespace contextual::benchmarks::probe {
namespace {

using namespace kernels::cuda;

/// One way of computing the product.
struct Kind {
  std::string name;
  std::string config;
  std::function<void()> launch;
};

class Product {
 public:
  explicit Product(const std::string& text) : Product(text, ProductShape(text)) {}

  void measure(Gemm& own, int rounds, nlohmann::json& rows) {
    const ProblemReport of_cublaslt = tune("cuBLASLt", [&] { cublaslt_gemm()(stream_, plain_); });
    const ProblemReport of_own = tune("own", [&] { own(stream_, plain_); });
    std::vector<Kind> kinds;
    kinds.push_back({"cuBLASLt, tuned", of_cublaslt.choice_config.to_string(),
                     [&] { cublaslt_gemm()(stream_, plain_); }});
    kinds.push_back({"own, tuned", of_own.choice_config.to_string(), launch_of(own, of_own.choice, plain_)});
    const auto us = samples_in_turn(rounds, kinds.size(), [&](std::size_t i) {
      return stopwatch_.us_per_launch(launches, kinds[i].launch);
    });
    print(kinds, us, rows);
  }

 private:
  static constexpr int launches = 10;

  Product(const std::string& text, const ProductShape& shape)
      : shape_(text),
        a_(shape.m, shape.k, false, 1),
        b_(shape.n, shape.k, false, 2),
        c_(element_count(shape.m, shape.n)),
        stopwatch_(stream_),
        plain_{.a = a_.get(), .b = b_.get(), .c = c_.get(), .m = shape.m, .n = shape.n, .k = shape.k} {}

  std::function<void()> launch_of(Gemm& kernel, std::size_t config, const GemmArgs& args) {
    const Key key = gemm_key(args);
    kernel.expect(config, key, static_cast<cudaStream_t>(stream_), args);
    kernel.load(config, key);
    return [this, &kernel, config, args] {
      CONTEXTUAL_CHECKED(kernel.launch_config(config, static_cast<cudaStream_t>(stream_), args));
    };
  }

  static ProblemReport tune(const std::string& region, const std::function<void()>& launch) {
    Options options;
    options.always_tune = true;
    options.log_directory = "";
    options.cache_directory = "";
    options.timer = cuda_timer;
    ContextualAutotuner tuner(options);
    tuner.run(region, launch);
    const Report report = tuner.report();
    return report.find(region)->problems.at(0);
  }

  void print(const std::vector<Kind>& kinds, const std::vector<std::vector<double>>& times,
             nlohmann::json& rows) const {
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const Kind& kind = kinds[i];
      const double us = median(times[i]);
      const double over_cublaslt = median(ratios(times[i], times.front()));
      const double tflops = 2e-6 * plain_.m * plain_.n * plain_.k / us;
      std::printf("%-16s %-30s %8.1f %8.1f %8.3f  %s\n", shape_.c_str(), kind.name.c_str(), us, tflops,
                  over_cublaslt, kind.config.c_str());
      rows.push_back({{"part", "gemm"},
                      {"shape", shape_},
                      {"what", kind.name},
                      {"us", us},
                      {"tflops", tflops},
                      {"over_cublaslt", over_cublaslt},
                      {"config", kind.config}});
    }
  }

  std::string shape_;
  RandomMatrix a_;
  RandomMatrix b_;
  Buffer<std::uint16_t> c_;
  Stream stream_;
  Stopwatch stopwatch_;
  GemmArgs plain_;
};

}  // namespace

nlohmann::json measure_gemm(const std::vector<std::string>& shapes, int rounds) {
  nlohmann::json rows = nlohmann::json::array();
  std::printf("\nGEMM in bf16, ten launches in a row, kinds in turn\n%-16s %-30s %8s %8s %8s  %s\n",
              "m x n x k", "", "us", "TFLOP/s", "over Lt", "config");
  for (const std::string& shape : shapes) {
    Product(shape).measure(gemm(), rounds, rows);
    std::fflush(stdout);
  }
  return rows;
}

}  // namespace contextual::benchmarks::probe
