#pragma once

/// \file
/// The part of TCP that a meeting of ranks needs. A failure of the network is a result and not an exception,
/// because whoever meets tries again.

#include <contextual/deadline.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace contextual::sync {

/// Owns a socket, and closes it. It can be moved but not assigned.
class TcpSocket {
 public:
  explicit TcpSocket(int descriptor = -1) noexcept : descriptor_(descriptor) {}  ///< -1: none
  TcpSocket(TcpSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~TcpSocket();

  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  int descriptor() const noexcept { return descriptor_; }

  /// Sends all of it. Returns false if the peer is gone, or takes nothing for two seconds.
  bool send(std::string_view bytes) const;
  /// Appends what has arrived to `bytes`, until there are `limit`, and does not wait. Returns false if the
  /// peer is gone and nothing more will arrive.
  bool receive(std::string& bytes, std::size_t limit) const;

 private:
  int descriptor_;
};

/// Listens on this port of the loopback address or of all addresses. Returns nothing, and the reason in
/// `problem`, if that is not possible, for example because the port is in use. Port 0 takes one that is free.
TcpSocket listen_on(std::uint16_t port, bool loopback_only, std::string& problem);

/// Returns a connection that is waiting to be accepted, or none.
TcpSocket accept_from(const TcpSocket& listener);

/// Connects, and waits for that until the deadline expires, but not longer than two seconds for one address.
/// Returns nothing, and the reason in `problem`, if nobody listens there yet.
TcpSocket connect_to(const std::string& host, std::uint16_t port, Deadline& deadline, std::string& problem);

}  // namespace contextual::sync
