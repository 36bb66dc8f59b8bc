/// \file
/// The tuned host GEMM beside OpenBLAS, in one process, in turn. Without OpenBLAS: the tuned GEMM alone.

#include "command_line.hpp"
#include "figures.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/kernels/host/gemm.hpp>
#include <contextual/kernels/host/isa.hpp>
#include <contextual/key.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(CONTEXTUAL_BENCHMARK_OPENBLAS)
#include <cblas.h>
extern "C" void openblas_set_num_threads(int threads);
#endif

namespace {

using namespace contextual::benchmarks;
using contextual::kernels::GemmArgs;
using contextual::kernels::GemmConfig;
using GemmKernel = contextual::TunableKernel<void(const GemmConfig&, const GemmArgs&)>;

struct Shape {
  long m;
  long n;
  long k;
};

/// More configs than kernels::gemm() has, all with this many threads.
GemmKernel make_gemm(int threads) {
  GemmConfig defaults;
  defaults.threads = threads;
  return GemmKernel{"host_gemm_" + std::to_string(threads) + "_threads",
                    contextual::ConfigSpace<GemmConfig>{{"MR", &GemmConfig::mr, {4, 6, 8, 12}},
                                                        {"NR", &GemmConfig::nr, {16, 32}},
                                                        {"MC", &GemmConfig::mc, {96, 192}},
                                                        {"KC", &GemmConfig::kc, {256, 512}}}
                        .default_config(defaults),
                    [](const GemmArgs& a) { return contextual::make_key(a.m, a.n, a.k); },
                    [](const GemmConfig& c, const GemmArgs& a) { contextual::kernels::gemm_compute(c, a); }};
}

struct Operands {
  explicit Operands(const Shape& s)
      : a(random_values(s.m * s.k, 1)),
        b(random_values(s.k * s.n, 2)),
        c(static_cast<std::size_t>(s.m * s.n)) {}

  static std::vector<float> random_values(long count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
    std::vector<float> values(static_cast<std::size_t>(count));
    std::generate(values.begin(), values.end(), [&] { return uniform(engine); });
    return values;
  }
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c;
};

#if defined(CONTEXTUAL_BENCHMARK_OPENBLAS)
void openblas(const Shape& s, const Operands& operands, std::vector<float>& c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(s.m), static_cast<int>(s.n),
              static_cast<int>(s.k), 1.0F, operands.a.data(), static_cast<int>(s.k), operands.b.data(),
              static_cast<int>(s.n), 0.0F, c.data(), static_cast<int>(s.n));
}

void check_equal(const std::vector<float>& ours, const std::vector<float>& theirs, long k) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (!(std::abs(ours[i] - theirs[i]) <= 1e-5F * std::sqrt(static_cast<float>(k)))) {
      throw std::runtime_error("the results differ at element " + std::to_string(i) + ": " +
                               std::to_string(ours[i]) + " and " + std::to_string(theirs[i]));
    }
  }
}
#endif

/// Tunes for one shape, then prints a line.
void measure(contextual::ContextualAutotuner& tuner, GemmKernel& gemm, const Shape& s, int threads,
             int rounds) {
  Operands operands(s);
  const GemmArgs args{operands.a.data(), operands.b.data(), operands.c.data(), s.m, s.n, s.k, s.k, s.n, s.n};
  tuner.run("host_gemm", [&] { gemm(args); });
  const contextual::Report report = tuner.report();
  const contextual::ProblemReport& problem = report.runs.back().problems.back();
  const double work = 2e-9 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
#if defined(CONTEXTUAL_BENCHMARK_OPENBLAS)
  openblas_set_num_threads(threads);
  std::vector<float> c(operands.c.size());
  const auto seconds = samples_in_turn(rounds, 2, [&](std::size_t i) {
    return i == 0 ? elapsed([&] { gemm(args); }) : elapsed([&] { openblas(s, operands, c); });
  });
  const double ours = median(seconds[0]);
  const double theirs = median(seconds[1]);
  check_equal(operands.c, c, s.k);
  std::printf("%5ld %5ld %5ld %7d %12.1f %14.1f %7.2f  %s\n", s.m, s.n, s.k, threads, work / ours,
              work / theirs, theirs / ours, problem.choice_config.to_string().c_str());
#else
  const double ours = median(samples_of(rounds, [&] { return elapsed([&] { gemm(args); }); }));
  std::printf("%5ld %5ld %5ld %7d %12.1f %14s %7s  %s\n", s.m, s.n, s.k, threads, work / ours, "-", "-",
              problem.choice_config.to_string().c_str());
#endif
}

void measure_all(const std::vector<int>& thread_counts, int rounds) {
#if !defined(CONTEXTUAL_BENCHMARK_OPENBLAS)
  std::printf(
      "OpenBLAS was not found when this was built: the comparison is skipped (Debian: libopenblas-dev)\n");
#endif
  std::printf("vector instructions: %s; medians of %d runs in turn; ratio > 1: faster than OpenBLAS\n",
              contextual::kernels::to_string(contextual::kernels::native_isa()), rounds);
  std::printf("%5s %5s %5s %7s %12s %14s %7s  %s\n", "m", "n", "k", "threads", "ours GFLOP/s",
              "OpenBLAS GF/s", "ratio", "config");
  contextual::ContextualAutotuner tuner{{.n_warmup = 1, .n_repeat = 3, .log_directory = ""}};
  const std::vector<Shape> shapes{{128, 128, 128},    {256, 256, 256},  {512, 512, 512},
                                  {1024, 1024, 1024}, {128, 2048, 512}, {1000, 37, 600}};
  for (const int threads : thread_counts) {
    GemmKernel gemm = make_gemm(threads);
    for (const Shape& shape : shapes) {
      measure(tuner, gemm, shape, threads, rounds);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> thread_counts{1, 2};
  int rounds = 21;
  BenchmarkApp app{"The tuned host GEMM beside OpenBLAS"};
  app.add_option("--threads", thread_counts, "numbers of threads")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", rounds, "timed runs of each")->check(CLI::PositiveNumber);
  return run_program(app, argc, argv, [&] {
    measure_all(thread_counts, rounds);
    return 0;
  });
}
