#include "contextual/sync/nccl/rendezvous_host.hpp"

#include <contextual/error.hpp>

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace contextual::sync {
namespace {

/// How long somebody may take to say who he is; a rank says it at once.
constexpr std::chrono::seconds introduction_time{5};
/// More of them at once are turned away, and ranks come again.
constexpr std::size_t most_strangers = 256;
constexpr std::size_t most_refusals = 8;

}  // namespace

RendezvousHost::RendezvousHost(TcpSocket listener, std::uint64_t job, int size)
    : listener_(std::move(listener)), job_(job), size_(size) {}

void RendezvousHost::receive_all(std::string_view text, Deadline& deadline) {
  while (!complete()) {
    if (deadline.expired()) {
      const std::vector<int> missing_ranks = missing();
      for (const auto& [rank, socket] : arrived_) {
        socket.send(encode(Answer{Answer::Kind::missing, "", missing_ranks}));
      }
      std::string what = "not all ranks came to the meeting at rank 0 before the deadline";
      for (const std::string& refusal : refusals_) {
        what += "; refused: " + refusal;
      }
      throw CommunicationError(what, missing_ranks);
    }
    wait_for_news(deadline);
    let_in();
    listen_to_strangers();
    forget_the_gone();
  }
  for (const auto& [rank, socket] : arrived_) {
    socket.send(encode(Answer{Answer::Kind::welcome, std::string(text), {}}));
  }
}

void RendezvousHost::wait_for_news(Deadline& deadline) const {
  std::vector<pollfd> waiting{{listener_.descriptor(), POLLIN, 0}};
  for (const Stranger& stranger : strangers_) {
    waiting.push_back({stranger.socket.descriptor(), POLLIN, 0});
  }
  for (const auto& [rank, socket] : arrived_) {
    waiting.push_back({socket.descriptor(), POLLIN, 0});
  }
  const auto tick = std::min<Deadline::Duration>(deadline.tick(), std::chrono::milliseconds(50));
  poll(waiting.data(), waiting.size(),
       static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(tick).count()));
}

void RendezvousHost::let_in() {
  while (TcpSocket socket = accept_from(listener_)) {
    if (strangers_.size() < most_strangers) {
      strangers_.push_back({std::move(socket), "", Deadline::after(introduction_time)});
    }
  }
}

void RendezvousHost::listen_to_strangers() {
  std::vector<Stranger> silent;
  for (Stranger& stranger : strangers_) {
    const bool there = stranger.socket.receive(stranger.said, Greeting::bytes);
    if (stranger.said.size() == Greeting::bytes) {
      introduce(stranger);
    } else if (there && !stranger.patience.expired()) {
      silent.push_back(std::move(stranger));
    } else {
      note_refusal("a client that is no rank");
    }
  }
  strangers_ = std::move(silent);
}

void RendezvousHost::introduce(Stranger& stranger) {
  const auto greeting = decode_greeting(stranger.said);
  if (!greeting) {
    note_refusal("a client that is no rank");
    return;
  }
  forget_the_gone();  // a rank that lost its connection comes again
  const std::string why = objection(*greeting);
  if (!why.empty()) {
    note_refusal("rank " + std::to_string(greeting->rank) + " of " + std::to_string(greeting->size) + " (" +
                 why + ")");
    refuse(stranger.socket, why);
    return;
  }
  arrived_.emplace(static_cast<int>(greeting->rank), std::move(stranger.socket));
}

std::string RendezvousHost::objection(const Greeting& greeting) const {
  if (greeting.job != job_) {
    return "it belongs to another job than rank 0";
  }
  if (greeting.size != static_cast<std::uint32_t>(size_)) {
    return "rank 0 has " + std::to_string(size_) + " ranks";
  }
  if (greeting.rank == 0 || greeting.rank >= greeting.size) {
    return "there can be no such rank beside rank 0";
  }
  return arrived_.count(static_cast<int>(greeting.rank)) != 0 ? "another process is that rank already" : "";
}

void RendezvousHost::refuse(const TcpSocket& socket, const std::string& why) {
  socket.send(encode(Answer{Answer::Kind::refused, why, {}}));
}

void RendezvousHost::note_refusal(const std::string& who) {
  const bool told = std::find(refusals_.begin(), refusals_.end(), who) != refusals_.end();
  if (!told && refusals_.size() < most_refusals) {
    refusals_.push_back(who);
  }
}

void RendezvousHost::forget_the_gone() {
  for (auto one = arrived_.begin(); one != arrived_.end();) {
    std::string unexpected;
    const bool there = one->second.receive(unexpected, 1) && unexpected.empty();
    one = there ? std::next(one) : arrived_.erase(one);
  }
}

std::vector<int> RendezvousHost::missing() const {
  std::vector<int> ranks;
  for (int rank = 1; rank < size_; ++rank) {
    if (arrived_.count(rank) == 0) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

}  // namespace contextual::sync
