#include "contextual/sync/nccl/tcp_socket.hpp"

#include <contextual/detail/sync/bounded_call.hpp>

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>

namespace contextual::sync {
namespace {

/// Bounds how long calls wait for a peer that does not take a connection, or what is sent to it.
void limit_waits(int descriptor) {
  constexpr timeval limit{.tv_sec = 2, .tv_usec = 0};
  setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/// Returns a socket for the first address of the host with which `open` succeeds, as it says by 0 and errno.
/// Returns nothing, and the reason in `problem`, if there is none.
TcpSocket open_first(const std::string& host, std::uint16_t port, std::string& problem,
                     int (*open)(int, const addrinfo&)) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list); code != 0) {
    problem = host + ": " + gai_strerror(code);
    return TcpSocket();
  }
  const std::shared_ptr<const addrinfo> owner(list, freeaddrinfo);
  for (const addrinfo* address = list; address != nullptr; address = address->ai_next) {
    TcpSocket socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket && open(socket.descriptor(), *address) == 0) {
      return socket;
    }
    problem = std::generic_category().message(errno == EINPROGRESS ? ETIMEDOUT : errno);
  }
  return TcpSocket();
}

int listen_at(int descriptor, const addrinfo& address) {
  const int yes = 1;  // connections of the program before may still be ending
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  const int bound = ::bind(descriptor, address.ai_addr, address.ai_addrlen);
  return bound == 0 ? ::listen(descriptor, SOMAXCONN) : bound;
}

int connect_at(int descriptor, const addrinfo& address) {
  limit_waits(descriptor);
  return ::connect(descriptor, address.ai_addr, address.ai_addrlen);
}

}  // namespace

TcpSocket::~TcpSocket() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

bool TcpSocket::send(std::string_view bytes) const {
  return ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

bool TcpSocket::receive(std::string& bytes, std::size_t limit) const {
  char piece[4096];
  while (bytes.size() < limit) {
    const std::size_t wanted = std::min(limit - bytes.size(), sizeof piece);
    const ssize_t received = ::recv(descriptor_, piece, wanted, MSG_DONTWAIT);
    if (received <= 0) {
      return received < 0 && (errno == EAGAIN || errno == EINTR);
    }
    bytes.append(piece, static_cast<std::size_t>(received));
  }
  return true;
}

TcpSocket listen_on(std::uint16_t port, bool loopback_only, std::string& problem) {
  if (loopback_only) {
    return open_first("127.0.0.1", port, problem, listen_at);
  }
  TcpSocket socket = open_first("::", port, problem, listen_at);  // takes connections over IPv4, too
  return socket ? std::move(socket) : open_first("0.0.0.0", port, problem, listen_at);  // without IPv6
}

TcpSocket accept_from(const TcpSocket& listener) {
  TcpSocket socket(::accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
  limit_waits(socket.descriptor());
  return socket;
}

TcpSocket connect_to(const std::string& host, std::uint16_t port, Deadline& deadline, std::string& problem) {
  struct Attempt {
    std::optional<TcpSocket> socket;
    std::string problem;
  };
  const auto attempt = std::make_shared<Attempt>();
  // A name server may take its time, and cannot be told to hurry.
  const auto connect = [=] { attempt->socket.emplace(open_first(host, port, attempt->problem, connect_at)); };
  if (!bounded_call(connect, deadline)) {
    problem = "neither " + host + " nor a name server answered in time";
    return TcpSocket();
  }
  problem = attempt->problem;
  return std::move(*attempt->socket);
}

}  // namespace contextual::sync
