#include "contextual/sync/nccl/tcp_socket.hpp"

#include <contextual/detail/sync/bounded_call.hpp>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

namespace contextual::sync {
namespace {

constexpr int send_patience_ms = 1000;
constexpr std::chrono::milliseconds connect_patience{2000};

std::string error_text(int error) {
  return std::generic_category().message(error);
}

bool wait_until_writable(int descriptor, int timeout_ms) {
  pollfd waiting{descriptor, POLLOUT, 0};
  return poll(&waiting, 1, timeout_ms) > 0;
}

using Addresses = std::shared_ptr<const addrinfo>;

/// Returns nothing, and the reason in `problem`, for a host that is not known.
Addresses resolve(const std::string& host, std::uint16_t port, std::string& problem) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list); code != 0) {
    problem = host + ": " + gai_strerror(code);
    return nullptr;
  }
  return {list, [](const addrinfo* all) { freeaddrinfo(const_cast<addrinfo*>(all)); }};
}

TcpSocket socket_for(const addrinfo& address) {
  return TcpSocket(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

bool listens_at(const TcpSocket& socket, const addrinfo& address) {
  const int yes = 1;  // connections of the program before may still be ending
  setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  return ::bind(socket.descriptor(), address.ai_addr, address.ai_addrlen) == 0 &&
         ::listen(socket.descriptor(), SOMAXCONN) == 0;
}

/// Returns 0 when connected, else the error.
int connect(const TcpSocket& socket, const addrinfo& address, Deadline& deadline) {
  if (::connect(socket.descriptor(), address.ai_addr, address.ai_addrlen) == 0) {
    return 0;
  }
  if (errno != EINPROGRESS) {
    return errno;
  }
  Deadline patience = Deadline::after(std::min<Deadline::Duration>(connect_patience, deadline.remaining()));
  while (!wait_until_writable(socket.descriptor(), 2)) {
    if (patience.expired()) {
      return ETIMEDOUT;
    }
  }
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
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
    } else if (errno != EINTR && !(errno == EAGAIN && wait_until_writable(descriptor_, send_patience_ms))) {
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
  // "::" takes connections over IPv4, too; a machine without IPv6 does not have it.
  const std::vector<const char*> everywhere{"::", "0.0.0.0"};
  for (const char* const host : loopback_only ? std::vector{"127.0.0.1"} : everywhere) {
    const Addresses address = resolve(host, port, problem);
    TcpSocket socket = address == nullptr ? TcpSocket() : socket_for(*address);
    if (socket && listens_at(socket, *address)) {
      return socket;
    }
    problem = error_text(errno);
  }
  return {};
}

TcpSocket accept_from(const TcpSocket& listener) {
  return TcpSocket(::accept4(listener.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

TcpSocket connect_to(const std::string& host, std::uint16_t port, Deadline& deadline, std::string& problem) {
  struct Resolved {
    Addresses addresses;
    std::string problem;
  };
  const auto resolved = std::make_shared<Resolved>();
  // A name server may take its time, and cannot be told to hurry.
  if (!bounded_call([=] { resolved->addresses = resolve(host, port, resolved->problem); }, deadline)) {
    problem = host + ": no name server answered";
    return {};
  }
  problem = resolved->problem;
  for (const addrinfo* address = resolved->addresses.get(); address != nullptr; address = address->ai_next) {
    TcpSocket socket = socket_for(*address);
    const int error = socket ? connect(socket, *address, deadline) : errno;
    if (error == 0) {
      return socket;
    }
    problem = error_text(error);
  }
  return {};
}

}  // namespace contextual::sync
