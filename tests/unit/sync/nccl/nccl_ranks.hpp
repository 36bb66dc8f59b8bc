#pragma once

/// \file
/// Ranks over a scripted NCCL, each made and used on a thread of its own.

#include "contextual/sync/nccl/tcp_socket.hpp"
#include "support/ranks.hpp"
#include "support/scoped_rank.hpp"
#include "unit/sync/nccl/scripted_nccl.hpp"

#include <contextual/nccl.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <latch>

namespace contextual::test::nccl_test {

/// A rank that is a thread, with a name of its own, as the tuner asks of such ranks.
inline std::shared_ptr<Communicator> rank_thread(const std::shared_ptr<Communicator>& rank) {
  return std::make_shared<ScopedRank>(rank, "rank " + std::to_string(rank->rank()));
}

/// Returns a port of the loopback address that was free a moment ago.
inline std::uint16_t free_port() {
  std::string problem;
  const sync::TcpSocket listener = sync::listen_on(0, true, problem);
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

using Ranks = std::vector<std::shared_ptr<Communicator>>;

/// Every rank has a device of its own. Rethrows what the first rank that failed threw.
inline Ranks make_ranks(int size, const NcclOptions& options = {}) {
  Ranks ranks(static_cast<std::size_t>(size));
  const ncclUniqueId id = nccl_id();
  const auto thrown = on_threads(size, [&](int rank) {
    NcclOptions own = options;
    own.device = rank;
    ranks[static_cast<std::size_t>(rank)] = nccl_communicator(id, rank, size, own);
  });
  for (const std::exception_ptr& one : thrown) {
    if (one) {
      std::rethrow_exception(one);
    }
  }
  return ranks;
}

}  // namespace contextual::test::nccl_test
