#include "injector.hpp"

#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace faults {

void Injector::arm(const Fault& fault, int repetition) {
  fault_ = fault;
  repetition_ = repetition;
  armed_ = true;
  noted_ = false;
  phase_.clear();
  iteration_ = 0;
}

void Injector::at(const contextual::IterationInfo& info) {
  phase_ = to_string(info.phase);
  iteration_ = info.tuning_iteration;
}

bool Injector::iteration_matches() const {
  if (fault_.iteration == "search" || fault_.iteration == "final") {
    return phase_ == fault_.iteration;
  }
  return phase_ != "final" && std::to_string(iteration_) == fault_.iteration;
}

bool Injector::due(std::string_view kind) {
  if (!is(kind) || !iteration_matches()) {
    return false;
  }
  note("region");
  return true;
}

bool Injector::always(std::string_view kind) {
  if (!is(kind)) {
    return false;
  }
  note("start");
  return true;
}

void Injector::reach(std::string_view point) {
  if (!armed_ || fault_.rank != rank_ || fault_.point != point || noted_) {
    return;
  }
  const bool outside_iterations = point == "between" || point == "prepare";
  if (!outside_iterations && !iteration_matches()) {
    return;
  }
  note(point);
  if (fault_.kind == "throw") {
    throw Injected("injected");
  }
  if (fault_.kind == "exit") {
    _exit(3);
  }
  if (fault_.kind == "std_exit") {
    std::exit(7);
  }
  if (fault_.kind == "kill") {
    raise(SIGKILL);
  }
  if (fault_.kind == "stop") {
    raise(SIGSTOP);
  }
  if (fault_.kind == "blocked") {
    block();
  }
}

void Injector::note(std::string_view point) {
  if (!noted_) {
    noted_ = true;
    results_.write({{"event", "inject"},
                    {"repetition", repetition_},
                    {"kind", fault_.kind},
                    {"point", point},
                    {"phase", phase_},
                    {"tuning_iteration", iteration_}});
  }
}

void Injector::block() const {
  constexpr int tag_of_nobody = 4711;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int received = 0;
  MPI_Recv(&received, 1, MPI_INT, (rank_ + 1) % ranks, tag_of_nobody, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::abort();  // nobody sends that
}

}  // namespace faults
