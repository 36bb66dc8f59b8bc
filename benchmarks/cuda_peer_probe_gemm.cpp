#include "cuda_common.hpp"
#include "cuda_cublas.hpp"
#include "cuda_peer_probe.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/gemm.hpp>

#include <cstdio>
#include <functional>
#include <stdexcept>

namespace contextual::benchmarks::probe {
namespace {

using namespace kernels::cuda;

/// One way of computing the product.
struct Kind {
  std::string name;
  std::string config;
  std::function<void()> launch;
  std::vector<double> us{};
};

class Product {
 public:
  Product(const std::string& shape, int m, int n, int k)
      : shape_(shape),
        a_(m, k, false, 1),
        b_(n, k, false, 2),
        c_(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)),
        plain_{.a = a_.get(), .b = b_.get(), .c = c_.get(), .m = m, .n = n, .k = k} {
    CONTEXTUAL_CHECKED(cudaEventCreate(&begin_));
    CONTEXTUAL_CHECKED(cudaEventCreate(&end_));
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  void measure(Gemm& own, int rounds, nlohmann::json& rows) {
    const ProblemReport of_cublaslt = tune("cuBLASLt", [&] { cublaslt_gemm()(stream_, plain_); });
    const ProblemReport of_own = tune("own", [&] { own(stream_, plain_); });
    std::vector<Kind> kinds;
    kinds.push_back({"cuBLASLt, tuned", of_cublaslt.choice_config.to_string(),
                     [&] { cublaslt_gemm()(stream_, plain_); }});
    kinds.push_back({"own, tuned", of_own.choice_config.to_string(), launch_of(own, of_own.choice, plain_)});
    for (int round = -1; round < rounds; ++round) {
      for (Kind& kind : kinds) {
        const double us = time(kind);
        if (round >= 0) {
          kind.us.push_back(us);
        }
      }
    }
    print(kinds, rows);
  }

 private:
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

  double time(const Kind& kind) const {
    constexpr int launches = 10;
    CONTEXTUAL_CHECKED(cudaEventRecord(begin_, stream_));
    for (int i = 0; i < launches; ++i) {
      kind.launch();
    }
    CONTEXTUAL_CHECKED(cudaEventRecord(end_, stream_));
    CONTEXTUAL_CHECKED(cudaEventSynchronize(end_));
    float ms = 0;
    CONTEXTUAL_CHECKED(cudaEventElapsedTime(&ms, begin_, end_));
    return 1e3 * static_cast<double>(ms) / launches;
  }

  void print(const std::vector<Kind>& kinds, nlohmann::json& rows) const {
    for (const Kind& kind : kinds) {
      const double us = median(kind.us);
      std::vector<double> ratios;
      for (std::size_t i = 0; i < kind.us.size(); ++i) {
        ratios.push_back(kind.us[i] / kinds.front().us[i]);
      }
      const double tflops = 2e-6 * plain_.m * plain_.n * plain_.k / us;
      std::printf("%-16s %-30s %8.1f %8.1f %8.3f  %s\n", shape_.c_str(), kind.name.c_str(), us, tflops,
                  median(ratios), kind.config.c_str());
      rows.push_back({{"part", "gemm"},
                      {"shape", shape_},
                      {"what", kind.name},
                      {"us", us},
                      {"tflops", tflops},
                      {"over_cublaslt", median(ratios)},
                      {"config", kind.config}});
    }
  }

  std::string shape_;
  RandomMatrix a_;
  RandomMatrix b_;
  Buffer<std::uint16_t> c_;
  Stream stream_;
  GemmArgs plain_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace

nlohmann::json measure_gemm(const std::vector<std::string>& shapes, int rounds) {
  nlohmann::json rows = nlohmann::json::array();
  std::printf("\nGEMM in bf16, ten launches in a row, kinds in turn\n%-16s %-30s %8s %8s %8s  %s\n",
              "m x n x k", "", "us", "TFLOP/s", "over Lt", "config");
  for (const std::string& shape : shapes) {
    int m = 0;
    int n = 0;
    int k = 0;
    char end = 0;
    if (std::sscanf(shape.c_str(), "%dx%dx%d%c", &m, &n, &k, &end) != 3) {
      throw std::runtime_error("a shape is MxNxK, not '" + shape + "'");
    }
    Product(shape, m, n, k).measure(gemm(), rounds, rows);
    std::fflush(stdout);
  }
  return rows;
}

}  // namespace contextual::benchmarks::probe
