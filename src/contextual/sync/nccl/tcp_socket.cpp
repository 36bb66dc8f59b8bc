#include "contextual/sync/nccl/tcp_socket.hpp"

#include <contextual/detail/sync/bounded_call.hpp>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

namespace contextual::sync {
namespace {

constexpr int send_patience_ms = 1000;
constexpr std::chrono::milliseconds connect_patience{2000};

std::string error_now() {
  return std::generic_category().message(errno);
}

bool wait_for(int descriptor, short events, int timeout_ms) {
  pollfd waiting{descriptor, events, 0};
  return poll(&waiting, 1, timeout_ms) > 0;
}

TcpSocket open_socket(int family) {
  return TcpSocket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void set_option(const TcpSocket& socket, int level, int option, int value) {
  setsockopt(socket.descriptor(), level, option, &value, sizeof value);
}

/// Binds to this address and listens.
template <typename Address>
bool listen_at(const TcpSocket& socket, const Address& address) {
  set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);  // connections of the program before are still ending
  return ::bind(socket.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
         ::listen(socket.descriptor(), SOMAXCONN) == 0;
}

TcpSocket listen_everywhere(std::uint16_t port) {
  TcpSocket socket = open_socket(AF_INET6);
  if (!socket) {
    return {};
  }
  set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  return listen_at(socket, address) ? std::move(socket) : TcpSocket();
}

TcpSocket listen_v4(std::uint16_t port, std::uint32_t host) {
  TcpSocket socket = open_socket(AF_INET);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(host);
  return socket && listen_at(socket, address) ? std::move(socket) : TcpSocket();
}

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

struct Resolved {
  std::vector<Address> addresses;
  std::string problem;
};

Resolved resolve(const std::string& host, std::uint16_t port) {
  Resolved resolved;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (code != 0) {
    resolved.problem = host + ": " + gai_strerror(code);
    return resolved;
  }
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    Address& address = resolved.addresses.emplace_back();
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
    address.length = one->ai_addrlen;
  }
  freeaddrinfo(list);
  return resolved;
}

/// A name server may take its time, and cannot be told to hurry.
Resolved resolve_bounded(const std::string& host, std::uint16_t port, Deadline& deadline) {
  const auto resolved = std::make_shared<Resolved>();
  if (!bounded_call([=] { *resolved = resolve(host, port); }, deadline)) {
    return {{}, host + ": no name server answered"};
  }
  return *resolved;
}

TcpSocket connect_at(const Address& address, Deadline& deadline, std::string& problem) {
  TcpSocket socket = open_socket(address.storage.ss_family);
  if (!socket) {
    problem = error_now();
    return {};
  }
  const auto* const to = reinterpret_cast<const sockaddr*>(&address.storage);
  if (::connect(socket.descriptor(), to, address.length) == 0) {
    return socket;
  }
  if (errno != EINPROGRESS) {
    problem = error_now();
    return {};
  }
  Deadline patience = Deadline::after(std::min<Deadline::Duration>(connect_patience, deadline.remaining()));
  while (!wait_for(socket.descriptor(), POLLOUT, 2)) {
    if (patience.expired()) {
      problem = "no answer";
      return {};
    }
  }
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) {
    problem = std::generic_category().message(error);
    return {};
  }
  return socket;
}

}  // namespace

TcpSocket::TcpSocket(TcpSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

TcpSocket& TcpSocket::operator=(TcpSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

TcpSocket::~TcpSocket() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

bool TcpSocket::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EINTR && !(errno == EAGAIN && wait_for(descriptor_, POLLOUT, send_patience_ms))) {
      return false;
    }
  }
  return true;
}

bool TcpSocket::receive(std::string& bytes, std::size_t limit) const {
  while (bytes.size() < limit) {
    char piece[4096];
    const std::size_t wanted = std::min(limit - bytes.size(), sizeof piece);
    const ssize_t received = ::recv(descriptor_, piece, wanted, 0);
    if (received > 0) {
      bytes.append(piece, static_cast<std::size_t>(received));
    } else if (received == 0 || (errno != EINTR && errno != EAGAIN)) {
      return false;
    } else if (errno == EAGAIN) {
      return true;
    }
  }
  return true;
}

TcpSocket listen_on(std::uint16_t port, bool loopback_only, std::string& problem) {
  TcpSocket socket = loopback_only ? listen_v4(port, INADDR_LOOPBACK) : listen_everywhere(port);
  if (!socket && !loopback_only) {
    socket = listen_v4(port, INADDR_ANY);  // a machine without IPv6
  }
  problem = socket ? "" : error_now();
  return socket;
}

std::uint16_t port_of(const TcpSocket& listener) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&address), &length);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

TcpSocket accept_from(const TcpSocket& listener) {
  return TcpSocket(::accept4(listener.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

TcpSocket connect_to(const std::string& host, std::uint16_t port, Deadline& deadline, std::string& problem) {
  const Resolved resolved = resolve_bounded(host, port, deadline);
  problem = resolved.problem;
  for (const Address& address : resolved.addresses) {
    if (TcpSocket socket = connect_at(address, deadline, problem)) {
      return socket;
    }
  }
  return {};
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

}  // namespace contextual::sync
