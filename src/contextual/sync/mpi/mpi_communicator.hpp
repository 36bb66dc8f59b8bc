#pragma once

#include "contextual/sync/mpi/mpi_roll_call.hpp"

#include <contextual/communicator.hpp>
#include <contextual/mpi.hpp>

#include <mpi.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::sync {

/// Non-blocking collectives on a duplicated communicator, which are polled until their deadline. Not
/// thread-safe.
class MpiCommunicator final : public Communicator {
 public:
  /// Takes ownership of `duplicate`.
  MpiCommunicator(MPI_Comm duplicate, std::chrono::milliseconds roll_call);
  /// Frees the duplicate unless that could block: it does not once the communicator is poisoned, after
  /// MPI_Finalize, in a forked child, or on a thread that may not use MPI.
  ~MpiCommunicator() override;

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  int process_rank() const noexcept override { return process_rank_; }
  void all_reduce_max(std::span<std::int64_t> values, Deadline deadline) override;
  std::vector<std::string> all_gather(std::string_view bytes, Deadline deadline) override;
  std::string describe() const override;

 private:
  struct Operation;

  /// Posts the operation and waits for it. A failure poisons the communicator and leaks `operation`.
  void collective(std::unique_ptr<Operation>& operation, Deadline& deadline,
                  const std::function<void(MPI_Request*)>& post);
  bool wait(Operation& operation, Deadline& deadline);
  [[noreturn]] void poison(const std::string& what, bool late);

  MPI_Comm duplicate_;
  MpiRollCall roll_call_;
  std::chrono::milliseconds patience_;
  pid_t process_;
  int rank_ = 0;
  int size_ = 1;
  int process_rank_ = 0;
  int process_count_ = 1;
  std::uint64_t collectives_ = 0;       ///< the number begun
  std::optional<std::string> failure_;  ///< set once poisoned
  std::vector<int> missing_;
};

/// Returns a duplicate of `communicator`. Collective. Throws CommunicationError after `timeout`.
MPI_Comm duplicate(MPI_Comm communicator, std::chrono::milliseconds timeout);

}  // namespace contextual::sync
