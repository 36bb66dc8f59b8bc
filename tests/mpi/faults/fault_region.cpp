#include "fault_region.hpp"

#include <mpi.h>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace faults {
namespace {

std::error_code spin(const Spin& config) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(config.microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
  return {};
}

contextual::Key key_of(int size) {
  return contextual::make_key(size);
}

contextual::ConfigSpace<Spin> space_of(std::vector<int> microseconds) {
  return contextual::ConfigSpace<Spin>{{"MICROSECONDS", &Spin::microseconds, std::move(microseconds)}};
}

}  // namespace

FaultRegion::FaultRegion(Injector& injector, bool ring)
    : injector_(injector),
      ring_(ring),
      first_(first_kernel()),
      second_(second_kernel()),
      extra_(std::make_unique<SpinKernel>("extra", space_of({20, 5}), key_of,
                                          [](const Spin& config, int) { return spin(config); })) {}

std::unique_ptr<SpinKernel> FaultRegion::first_kernel() {
  SpinKernel::Options options;
  // With the key: after the first run, when the other ranks wait for this one and are not in the region.
  options.load = [this](const Spin& config, const contextual::Key&) {
    if (config.microseconds == 10 && injector_.always("config_prepare")) {
      throw std::runtime_error("injected");
    }
    injector_.reach("prepare");
  };
  std::vector<int> microseconds{20, 10, 30, 15};
  if (injector_.always("other_space")) {
    microseconds.back() = 16;
  } else if (injector_.always("smaller_space")) {
    microseconds.pop_back();
  }
  const auto launch = [this](const Spin& config, int) -> std::error_code {
    if (config.microseconds == 10 && injector_.always("config_rejected")) {
      throw contextual::ConfigRejected("injected");
    }
    if (config.microseconds == 10 && injector_.always("config_status")) {
      return std::make_error_code(std::errc::not_enough_memory);
    }
    return spin(config);
  };
  return std::make_unique<SpinKernel>("first", space_of(std::move(microseconds)), key_of, launch, options);
}

std::unique_ptr<SpinKernel> FaultRegion::second_kernel() {
  const auto launch = [this](const Spin& config, int) -> std::error_code {
    if (injector_.always("config_all") || injector_.always("config_all_before_comm")) {
      throw contextual::ConfigRejected("injected");
    }
    injector_.reach("in_launch");
    return spin(config);
  };
  return std::make_unique<SpinKernel>("second", space_of({20, 6, 18}), key_of, launch);
}

void FaultRegion::operator()() {
  // Only `second` can be left without a config, and it comes after the communication otherwise.
  const bool swapped = injector_.due("other_order") || injector_.on_all_ranks("config_all_before_comm");
  if (swapped) {
    launch_second();
  } else {
    launch_first();
  }
  injector_.reach("before_comm");
  communicate();
  injector_.reach("after_comm");
  if (injector_.due("extra_launch")) {
    (*extra_)(64);
  }
  if (swapped) {
    launch_first();
  } else {
    launch_second();
  }
}

void FaultRegion::launch_first() {
  (*first_)(injector_.due("other_key") ? 65 : 64);
  if (injector_.due("repeated_launch")) {
    (*first_)(64);
  }
}

void FaultRegion::launch_second() {
  if (!injector_.due("missing_launch")) {
    (*second_)(64);
  }
}

void FaultRegion::communicate() const {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int received = -1;
  int expected = ranks * (ranks - 1) / 2;
  if (ring_) {
    const int before = (rank + ranks - 1) % ranks;
    expected = before;
    MPI_Request requests[2];
    MPI_Irecv(&received, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&rank, &received, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (received != expected) {
    throw std::runtime_error("the region's communication gave " + std::to_string(received) + " instead of " +
                             std::to_string(expected));
  }
}

}  // namespace faults
