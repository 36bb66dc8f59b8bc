#pragma once

/// \file
/// Ranks over a scripted NCCL, each made and used on a thread of its own.

#include "contextual/sync/nccl/tcp_socket.hpp"
#include "support/catch.hpp"
#include "unit/sync/nccl/scripted_nccl.hpp"

#include <contextual/communicator.hpp>
#include <contextual/nccl.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace nccl_test {

/// Gives a rank that is a thread a name of its own, as the tuner asks of such ranks.
class RankThread final : public contextual::Communicator {
 public:
  explicit RankThread(std::shared_ptr<contextual::Communicator> rank)
      : rank_(std::move(rank)), scope_("rank " + std::to_string(rank_->rank())) {}

  int rank() const noexcept override { return rank_->rank(); }
  int size() const noexcept override { return rank_->size(); }
  void all_reduce_max(std::span<std::int64_t> values, contextual::Deadline deadline) override {
    rank_->all_reduce_max(values, std::move(deadline));
  }
  std::vector<std::string> all_gather(std::string_view bytes, contextual::Deadline deadline) override {
    return rank_->all_gather(bytes, std::move(deadline));
  }
  std::string describe() const override { return rank_->describe(); }
  int process_rank() const noexcept override { return rank_->process_rank(); }
  std::string_view process_scope() const noexcept override { return scope_; }

 private:
  std::shared_ptr<contextual::Communicator> rank_;
  std::string scope_;
};

/// Returns a port of the loopback address that was free a moment ago.
inline std::uint16_t free_port() {
  std::string problem;
  const contextual::sync::TcpSocket listener = contextual::sync::listen_on(0, true, problem);
  REQUIRE(listener);
  sockaddr_in address{};
  socklen_t length = sizeof address;
  getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&address), &length);
  return ntohs(address.sin_port);
}

/// Calls `body` for every rank, which begin together. Returns what each threw.
inline std::vector<std::exception_ptr> on_threads(int size, const std::function<void(int rank)>& body) {
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size));
  std::latch ready(size);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ready.arrive_and_wait();
      try {
        body(rank);
      } catch (...) {
        thrown[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  threads.clear();
  return thrown;
}

using Ranks = std::vector<std::shared_ptr<contextual::Communicator>>;

/// Every rank has a device of its own. Rethrows what the first rank that failed threw.
inline Ranks make_ranks(int size, const contextual::NcclOptions& options = {}) {
  Ranks ranks(static_cast<std::size_t>(size));
  const ncclUniqueId id = contextual::nccl_id();
  const auto thrown = on_threads(size, [&](int rank) {
    contextual::NcclOptions own = options;
    own.device = rank;
    ranks[static_cast<std::size_t>(rank)] = contextual::nccl_communicator(id, rank, size, own);
  });
  for (const std::exception_ptr& one : thrown) {
    if (one) {
      std::rethrow_exception(one);
    }
  }
  return ranks;
}

inline std::string text_of(const std::exception_ptr& thrown) {
  try {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
    return "[no error]";
  } catch (const std::exception& error) {
    return error.what();
  }
}

inline void check_no_errors(const std::vector<std::exception_ptr>& thrown) {
  for (const std::exception_ptr& one : thrown) {
    CHECK(text_of(one) == "[no error]");
  }
}

}  // namespace nccl_test
