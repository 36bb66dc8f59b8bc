#pragma once

#include "contextual/sync/nccl/rendezvous_message.hpp"
#include "contextual/sync/nccl/tcp_socket.hpp"

#include <contextual/deadline.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::sync {

/// Rank 0's side of a meeting: waits until all other ranks are there, and then tells all of them the same.
/// Whoever is not one of them is refused, and does not keep the others from meeting.
class RendezvousHost {
 public:
  /// Of ranks of this job and number, which come to this listener.
  RendezvousHost(TcpSocket listener, std::uint64_t job, int size);

  /// Tells all ranks `text`. If the deadline expires first, it tells those that came which ranks are missing,
  /// and throws CommunicationError that names them and those who were refused.
  void receive_all(std::string_view text, Deadline& deadline);

 private:
  /// Somebody who has not said yet who he is.
  struct Stranger {
    TcpSocket socket;
    std::string said;
    Deadline patience;
  };

  bool complete() const noexcept { return static_cast<int>(arrived_.size()) == size_ - 1; }
  void wait_for_news(Deadline& deadline) const;
  void let_in();
  void listen_to_strangers();
  void forget_the_gone();
  void introduce(Stranger& stranger);
  /// Returns why it is none of the ranks that are waited for, or an empty text.
  std::string objection(const Greeting& greeting) const;
  void refuse(const TcpSocket& socket, const std::string& why);
  void note_refusal(const std::string& who);
  std::vector<int> missing() const;

  TcpSocket listener_;
  const std::uint64_t job_;
  const int size_;
  std::vector<Stranger> strangers_;
  std::map<int, TcpSocket> arrived_;  ///< by rank
  std::vector<std::string> refusals_;
};

}  // namespace contextual::sync
