#pragma once

/// \file
/// The part of TCP that a meeting of ranks needs. Nothing here blocks, except that `connect_to` waits for a
/// short time. A failure of the network is a result and not an exception, because whoever meets tries again.

#include <contextual/deadline.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace contextual::sync {

/// Owns a socket that does not block, and closes it.
class TcpSocket {
 public:
  TcpSocket() = default;  ///< none
  explicit TcpSocket(int descriptor) noexcept : descriptor_(descriptor) {}
  TcpSocket(TcpSocket&& other) noexcept;
  TcpSocket& operator=(TcpSocket&& other) noexcept;
  TcpSocket(const TcpSocket&) = delete;
  TcpSocket& operator=(const TcpSocket&) = delete;
  ~TcpSocket();

  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  int descriptor() const noexcept { return descriptor_; }

  /// Sends all of it. Returns false if the peer is gone, or takes nothing for a second.
  bool send(std::string_view bytes) const;
  /// Appends what has arrived to `bytes`, until there are `limit`. Returns false if the peer is gone and
  /// nothing more will arrive.
  bool receive(std::string& bytes, std::size_t limit) const;

 private:
  int descriptor_ = -1;
};

/// Listens on this port of the loopback addresses or of all addresses. Returns nothing, and the reason in
/// `problem`, if that is not possible, for example because the port is in use. Port 0 takes one that is free.
TcpSocket listen_on(std::uint16_t port, bool loopback_only, std::string& problem);

/// Returns a connection that is waiting to be accepted, or none.
TcpSocket accept_from(const TcpSocket& listener);

/// Connects, and waits for that until the deadline expires, but not longer than two seconds for one address.
/// Returns nothing, and the reason in `problem`, if nobody listens there yet.
TcpSocket connect_to(const std::string& host, std::uint16_t port, Deadline& deadline, std::string& problem);

}  // namespace contextual::sync
