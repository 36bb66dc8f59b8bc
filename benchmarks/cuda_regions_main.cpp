#include "cuda_regions.hpp"

int main(int argc, char** argv) {
  return contextual::benchmarks::run_regions(argc, argv);
}
