#pragma once

/// \file
/// Ranks as processes over MPI, each with a GPU; they share one where there are too few.

#include "gpu/kernel_support.hpp"

#include <mpi.h>

namespace contextual::test::gpu_test {

/// True if it is true on every rank. Collective.
inline bool on_all_ranks(bool here) {
  int all = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

/// This process among the ranks; its device is current.
struct Rank {
  int number = 0;
  int count = 1;
  int devices = 0;  ///< that every rank sees

  Rank() {
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    cuda_check(cudaGetDeviceCount(&devices));
    cuda_check(cudaSetDevice(number % devices));
  }
  int next() const { return (number + 1) % count; }
  int before() const { return (number + count - 1) % count; }
  /// Each rank has a GPU of its own, which reaches the next one's memory.
  bool can_push_to_next() const {
    int can = count <= devices ? 1 : 0;
    if (can != 0 && count > 1) {
      cuda_check(cudaDeviceCanAccessPeer(&can, number, next()));
    }
    return on_all_ranks(can != 0);
  }
};

/// Collective.
template <typename T>
bool same_on_all_ranks(T value) {
  long long low_high[] = {static_cast<long long>(value), -static_cast<long long>(value)};
  MPI_Allreduce(MPI_IN_PLACE, low_high, 2, MPI_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
  return low_high[0] == -low_high[1];
}

}  // namespace contextual::test::gpu_test
