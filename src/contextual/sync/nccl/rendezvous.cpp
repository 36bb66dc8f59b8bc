#include "contextual/sync/nccl/rendezvous.hpp"

#include "contextual/sync/nccl/rendezvous_host.hpp"
#include "contextual/sync/nccl/rendezvous_message.hpp"
#include "contextual/sync/nccl/tcp_socket.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace contextual::sync {
namespace {

/// Between two tries to reach rank 0, or to take its port.
constexpr std::chrono::milliseconds pause{20};
/// How long a port may be in use by the meeting before, or by a program that is ending.
constexpr std::chrono::seconds port_patience{2};
/// Rank 0 tells who is missing when its own deadline has expired, which is hardly later than this rank's.
constexpr std::chrono::milliseconds last_words{500};

std::string address_text(const RendezvousPlace& place) {
  return place.host + ", port " + std::to_string(place.port);
}

TcpSocket listen_at(const RendezvousPlace& place, Deadline& deadline) {
  Deadline patience = Deadline::after(std::min<Deadline::Duration>(port_patience, deadline.remaining()));
  std::string problem;
  for (;;) {
    if (TcpSocket listener = listen_on(place.port, is_loopback(place.host), problem)) {
      return listener;
    }
    if (patience.expired()) {
      throw CommunicationError("rank 0 cannot listen on port " + std::to_string(place.port) + ": " + problem +
                                   ". Set CONTEXTUAL_RENDEZVOUS_PORT to a port that is free, on all ranks",
                               {});
    }
    std::this_thread::sleep_for(pause);
  }
}

/// A rank's side of the meeting.
class Guest {
 public:
  Guest(const RendezvousPlace& place, int rank, int size) : place_(place), rank_(rank), size_(size) {}

  std::string visit(Deadline& deadline) {
    while (!deadline.expired()) {
      if (const TcpSocket socket = connect_to(place_.host, place_.port, deadline, problem_)) {
        if (const auto answer = ask(socket, deadline)) {
          return understand(*answer);
        }
      }
      std::this_thread::sleep_for(pause);
    }
    throw CommunicationError("rank " + std::to_string(rank_) + " did not meet rank 0 at " +
                                 address_text(place_) + " before the deadline: " + problem_,
                             {0});
  }

 private:
  /// Returns nothing if rank 0, or whoever it was, is gone without an answer.
  std::optional<Answer> ask(const TcpSocket& socket, Deadline& deadline) {
    problem_ = "it took the connection, but did not answer";
    const Greeting greeting{place_.job, static_cast<std::uint32_t>(size_), static_cast<std::uint32_t>(rank_)};
    if (!socket.send(encode(greeting))) {
      return std::nullopt;
    }
    Deadline patience = Deadline::after(deadline.remaining() + last_words);
    std::string said;
    std::size_t expected = Answer::header_bytes;
    while (!patience.expired()) {
      const bool there = socket.receive(said, expected);
      if (said.size() == expected) {
        const auto length = decode_length(std::string_view(said).substr(0, Answer::header_bytes));
        if (!length || said.size() == Answer::header_bytes + *length) {
          return decode_answer(said);
        }
        expected = Answer::header_bytes + *length;
      } else if (!there) {
        return std::nullopt;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    return std::nullopt;
  }

  std::string understand(const Answer& answer) const {
    const std::string self = "rank " + std::to_string(rank_);
    switch (answer.kind) {
      case Answer::Kind::welcome:
        return answer.text;
      case Answer::Kind::refused:
        throw CommunicationError(self + " of " + std::to_string(size_) + " was refused by rank 0 at " +
                                     address_text(place_) + ": " + answer.text,
                                 {});
      case Answer::Kind::missing:
        throw CommunicationError(self + " met rank 0, but not all ranks came before the deadline",
                                 answer.missing);
    }
    throw CommunicationError(self + " did not understand rank 0", {});
  }

  const RendezvousPlace& place_;
  const int rank_;
  const int size_;
  std::string problem_ = "nobody was there";
};

}  // namespace

std::string meet(const RendezvousPlace& place, int rank, int size, std::string_view text,
                 Deadline& deadline) {
  if (rank != 0) {
    return Guest(place, rank, size).visit(deadline);
  }
  if (size > 1) {
    RendezvousHost(listen_at(place, deadline), place.job, size).receive_all(text, deadline);
  }
  return std::string(text);
}

}  // namespace contextual::sync
