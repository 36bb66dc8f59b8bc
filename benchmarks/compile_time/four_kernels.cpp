/// \file
/// Four tunable kernels as a user writes them: other signatures, other configs, three parameters and the
/// usual hooks. It is compiled, not linked.

#include <contextual/contextual.hpp>

#include <cstddef>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

struct TransposeConfig {
  std::size_t block = 8;
  int unroll = 1;
  bool prefetch = false;
};
struct GemmConfig {
  int block_m = 64, block_n = 64;
  unsigned stages = 2;
};
struct SumConfig {
  std::size_t width = 1024;
  float share = 0.5F;
  int lanes = 4;
};
struct SortConfig {
  int cutoff = 16;
  std::string pivot = "middle";
  bool stable = false;
};

void transpose_blocks(const TransposeConfig& config, std::size_t n, const float* in, float* out);
void multiply(const GemmConfig& config, int m, int n, int k, const float* a, const float* b, float* c);
double sum(const SumConfig& config, const std::vector<double>& values);
void sort(const SortConfig& config, std::vector<int>& values, bool descending);

int main() try {
  contextual::TunableKernel transpose{
      "transpose",
      contextual::ConfigSpace<TransposeConfig>{{"BLOCK", &TransposeConfig::block, {8, 16, 32, 64}},
                                               {"UNROLL", &TransposeConfig::unroll, {1, 2, 4}},
                                               {"PREFETCH", &TransposeConfig::prefetch, {false, true}}}
          .constraint(
              "UNROLL divides BLOCK",
              [](const TransposeConfig& c) { return c.block % static_cast<std::size_t>(c.unroll) == 0; }),
      [](std::size_t n, const float*, float*) { return contextual::make_key(n); },
      [](const TransposeConfig& config, std::size_t n, const float* in, float* out) {
        transpose_blocks(config, n, in, out);
      },
      {.keep = [](const TransposeConfig& c, std::size_t n, const float*, float*) { return c.block <= n; },
       .work = [](std::size_t n, const float*,
                  float*) { return contextual::KernelWork{.bytes = 8.0 * static_cast<double>(n * n)}; }}};

  contextual::TunableKernel gemm{
      "gemm",
      contextual::ConfigSpace<GemmConfig>{{"BLOCK_M", &GemmConfig::block_m, {32, 64, 128}},
                                          {"BLOCK_N", &GemmConfig::block_n, {32, 64, 128}},
                                          {"STAGES", &GemmConfig::stages, {2, 3, 4}}},
      [](int m, int n, int k, const float*, const float*, float*) { return contextual::make_key(m, n, k); },
      [](const GemmConfig& config, int m, int n, int k, const float* a, const float* b, float* c) {
        multiply(config, m, n, k, a, b, c);
      },
      {.keep = [](const GemmConfig& config, int m, int n, int, const float*, const float*,
                  float*) { return config.block_m <= m && config.block_n <= n; },
       .work = [](int m, int n, int k, const float*, const float*,
                  float*) { return contextual::KernelWork{.flops = 2.0 * m * n * k}; },
       .key_names = {"M", "N", "K"}}};

  contextual::TunableKernel reduce{
      "reduce",
      contextual::ConfigSpace<SumConfig>{{"WIDTH", &SumConfig::width, {512, 1024, 2048}},
                                         {"SHARE", &SumConfig::share, {0.25F, 0.5F, 1.0F}},
                                         {"LANES", &SumConfig::lanes, {2, 4, 8}}},
      [](const std::vector<double>& values) { return contextual::make_key(values.size()); },
      [](const SumConfig& config, const std::vector<double>& values) { return sum(config, values); },
      {.keep = [](const SumConfig& c, const std::vector<double>& values) { return c.width <= values.size(); },
       .work =
           [](const std::vector<double>& values) {
             return contextual::KernelWork{.bytes = 8.0 * static_cast<double>(values.size())};
           }}};

  contextual::TunableKernel order{
      "order",
      contextual::ConfigSpace<SortConfig>{{"CUTOFF", &SortConfig::cutoff, {8, 16, 32}},
                                          {"PIVOT", &SortConfig::pivot, {"first", "middle", "random"}},
                                          {"STABLE", &SortConfig::stable, {false, true}}},
      [](const std::vector<int>& values, bool descending) {
        return contextual::make_key(values.size(), descending);
      },
      [](const SortConfig& config, std::vector<int>& values, bool descending) {
        sort(config, values, descending);
      },
      {.keep = [](const SortConfig& config, const std::vector<int>& values,
                  bool) { return config.cutoff <= static_cast<int>(values.size()); },
       .reset = [](std::vector<int>& values, bool) { values.back() = 0; }}};

  const std::size_t n = 1000;
  std::vector<float> in(n * n, 1.0F);
  std::vector<float> out(n * n);
  std::vector<double> values(n, 1.0);
  std::vector<int> numbers(n, 3);
  contextual::ContextualAutotuner tuner{{.n_warmup = 1}};
  const double total = tuner.run("step", [&] {
    transpose(n, in.data(), out.data());
    gemm(100, 100, 100, in.data(), out.data(), out.data());
    order(numbers, true);
    return reduce(values);
  });
  const contextual::Report report = tuner.report();
  std::cout << "result " << total << "\n" << report.find("step")->to_string();
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
