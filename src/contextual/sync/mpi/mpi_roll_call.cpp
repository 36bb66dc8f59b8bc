#include "contextual/sync/mpi/mpi_roll_call.hpp"

#include "contextual/sync/mpi/mpi_check.hpp"

#include <contextual/deadline.hpp>

#include <memory>
#include <thread>

namespace contextual::sync {
namespace {

constexpr int tag = 0x436f;

enum Answer : int { unheard = -1, present = 0, late_arrival = 1 };

/// What is sent must stay where it is until MPI is done with it, which may be never.
struct Sends {
  int message = 0;
  std::vector<MPI_Request> requests;
};

}  // namespace

bool MpiRollCall::called() const {
  int flag = 0;
  // Twice: Open MPI looks first and makes progress then, so the first probe may miss what has just arrived.
  for (int i = 0; i < 2 && flag == 0; ++i) {
    CONTEXTUAL_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag, communicator_, &flag, MPI_STATUS_IGNORE));
  }
  return flag != 0;
}

MpiRollCall::Outcome MpiRollCall::call(bool late, std::chrono::milliseconds patience) const {
  int rank = 0;
  int size = 1;
  CONTEXTUAL_MPI(MPI_Comm_rank(communicator_, &rank));
  CONTEXTUAL_MPI(MPI_Comm_size(communicator_, &size));
  auto* const sends = std::make_unique<Sends>().release();  // leaked on purpose: some bytes, once
  sends->message = late ? late_arrival : present;
  sends->requests.assign(static_cast<std::size_t>(size), MPI_REQUEST_NULL);
  for (int other = 0; other < size; ++other) {
    if (other != rank) {
      // A failure to reach one rank is what is to be found out: the others are told all the same.
      MPI_Isend(&sends->message, 1, MPI_INT, other, tag, communicator_,
                &sends->requests[static_cast<std::size_t>(other)]);
    }
  }
  std::vector<int> answers(static_cast<std::size_t>(size), unheard);
  answers[static_cast<std::size_t>(rank)] = sends->message;
  int silent = size - 1;
  Deadline deadline = Deadline::after(patience);
  while (silent > 0 && !deadline.expired()) {
    int flag = 0;
    MPI_Status status;
    CONTEXTUAL_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag, communicator_, &flag, &status));
    if (flag == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      continue;
    }
    int answer = unheard;
    CONTEXTUAL_MPI(MPI_Recv(&answer, 1, MPI_INT, status.MPI_SOURCE, tag, communicator_, MPI_STATUS_IGNORE));
    answers[static_cast<std::size_t>(status.MPI_SOURCE)] = answer;
    --silent;  // every rank sends one answer
  }
  Outcome outcome;
  for (int other = 0; other < size; ++other) {
    const int answer = answers[static_cast<std::size_t>(other)];
    if (answer != present) {
      outcome.missing.push_back(other);
    }
    if (answer == late_arrival) {
      outcome.late.push_back(other);
    }
  }
  return outcome;
}

}  // namespace contextual::sync
