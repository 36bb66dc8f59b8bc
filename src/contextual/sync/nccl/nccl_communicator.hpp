#pragma once

#include "contextual/sync/nccl/nccl_channel.hpp"

#include <contextual/communicator.hpp>
#include <contextual/detail/cuda/exchange_buffer.hpp>
#include <contextual/nccl.hpp>

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

/// Collectives on an NCCL communicator of its own, through a buffer of fixed size: longer ones take several
/// turns. Not thread-safe.
class NcclCommunicator final : public Communicator {
 public:
  /// The place of this rank among those that give the same id.
  struct Place {
    int rank = 0;
    int size = 1;
  };

  /// How large the buffer must be.
  static std::size_t buffer_bytes(int size) noexcept;

  /// Makes the communicator, and connects the ranks by a first collective. Throws CommunicationError if the
  /// deadline expires, or with NCCL's words; NCCL is aborted then.
  NcclCommunicator(const ncclUniqueId& id, Place place, std::shared_ptr<detail::ExchangeBuffer> buffer,
                   NcclOptions options, Deadline& deadline);
  /// Destroys NCCL's communicator, for which it waits no longer than the grace. Does nothing once the
  /// communicator is poisoned, or in a forked child.
  ~NcclCommunicator() override;

  int rank() const noexcept override { return place_.rank; }
  int size() const noexcept override { return place_.size; }
  int process_rank() const noexcept override { return process_rank_; }
  void all_reduce_max(std::span<std::int64_t> values, Deadline deadline) override;
  std::vector<std::string> all_gather(std::string_view bytes, Deadline deadline) override;
  std::string describe() const override;

 private:
  void connect(Deadline& deadline);
  void reduce_turn(std::span<std::int64_t> values, Deadline& deadline);
  /// Gathers as many bytes of each rank. Returns those of all ranks, one after the other.
  std::string_view gather_turn(std::string_view bytes, std::size_t bytes_each, Deadline& deadline);
  std::vector<std::size_t> gather_lengths(std::size_t length, Deadline& deadline);
  std::vector<std::string> gather_texts(std::string_view bytes, Deadline& deadline);
  /// Runs `body`, whose failure poisons the communicator.
  void collective(const std::function<void()>& body);
  [[noreturn]] void poison(const std::string& what);
  std::chrono::milliseconds grace() const;

  const Place place_;
  const NcclOptions options_;
  const int process_rank_;
  const pid_t process_;
  const std::shared_ptr<detail::ExchangeBuffer> buffer_;
  const ncclComm_t nccl_;
  const NcclChannel channel_;
  std::uint64_t collectives_ = 0;       ///< the number begun
  std::optional<std::string> failure_;  ///< set once poisoned
};

}  // namespace contextual::sync
