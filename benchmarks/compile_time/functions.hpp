#pragma once

/// \file
/// What the files that are compiled tune: four functions of different signatures, each with configs of its
/// own.

#include <cstddef>
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
