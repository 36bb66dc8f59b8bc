#include "contextual/sync/nccl/rendezvous.hpp"

#include "contextual/sync/nccl/tcp_socket.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <list>
#include <set>
#include <thread>
#include <type_traits>
#include <vector>

namespace contextual::sync {
namespace {

/// How long a port may be in use by the meeting before, or by a program that is ending.
constexpr std::chrono::seconds port_patience{2};
/// How long somebody may take to say who he is; a rank says it at once.
constexpr std::chrono::seconds introduction_time{5};
/// Strangers at once. Further ones are turned away, and ranks come again.
constexpr std::size_t most_strangers = 256;
/// Between two tries to reach rank 0, each of which may ask a name server.
constexpr int try_interval_ms = 20;
/// Rank 0 tells who is missing when its own deadline has expired, which is hardly later than this rank's.
constexpr std::chrono::milliseconds last_words{500};

/// A rank says a greeting. Rank 0 answers with its text, the ranks that did not come, or why it refuses.
enum class Kind : std::uint32_t { of_a_stranger, greeting, welcome, missing, refusal };

/// What rank 0 says is shorter, so that whoever says more is a stranger.
constexpr std::uint32_t most_body_bytes = 1 << 20;
/// Nobody else begins with it.
constexpr std::uint64_t own_word = 0x6c61757478746e63;

/// The beginning of all that is said, in the byte order of the machine, which the ranks of a job share.
struct Head {
  std::uint64_t word = own_word;
  std::uint64_t job = 0;
  std::int32_t size = 0;
  std::int32_t rank = 0;
  Kind kind = Kind::of_a_stranger;
  std::uint32_t body_bytes = 0;
};
static_assert(std::has_unique_object_representations_v<Head>);

/// Waits for so many milliseconds. Returns false if the deadline has expired.
bool pause(Deadline& deadline, int milliseconds = 1) {
  for (; milliseconds > 0 && !deadline.expired(); --milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return !deadline.expired();
}

/// Returns the head of a stranger if there is none yet, or somebody else's.
Head head_of(const std::string& said) {
  Head head;
  if (said.size() >= sizeof head) {
    std::memcpy(&head, said.data(), sizeof head);
  }
  return head.word == own_word && head.body_bytes <= most_body_bytes ? head : Head{};
}

/// Returns false if the peer is gone.
bool say(const TcpSocket& socket, Head head, std::string_view body = "") {
  head.body_bytes = static_cast<std::uint32_t>(body.size());
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  return socket.send(bytes.append(body));
}

std::string name_of(const Head& greeting) {
  return "rank " + std::to_string(greeting.rank) + " of " + std::to_string(greeting.size);
}

TcpSocket listen_for_ranks(const RendezvousPlace& place, Deadline& deadline) {
  const bool loopback_only = place.host == "localhost" || place.host == "127.0.0.1";
  Deadline patience = Deadline::after(port_patience);
  for (std::string problem;;) {
    if (TcpSocket listener = listen_on(place.port, loopback_only, problem)) {
      return listener;
    }
    if (!pause(deadline) || patience.expired()) {
      throw CommunicationError("rank 0 cannot listen on port " + std::to_string(place.port) + ": " + problem +
                                   ". Set CONTEXTUAL_RENDEZVOUS_PORT to a port that is free, on all ranks",
                               {});
    }
  }
}

/// Rank 0's side: waits until all other ranks are there, and then tells all of them the same. Whoever is not
/// one of them does not keep the others from meeting.
class Host {
 public:
  Host(TcpSocket listener, const Head& self) : listener_(std::move(listener)), self_(self) {
    for (int rank = 1; rank < self.size; ++rank) {
      missing_.insert(rank);
    }
  }

  void receive_all(std::string_view text, Deadline& deadline) {
    while (!missing_.empty()) {
      if (!pause(deadline)) {
        give_up();
      }
      while (TcpSocket socket = accept_from(listener_)) {
        if (clients_.size() < most_strangers + static_cast<std::size_t>(self_.size)) {
          clients_.push_back({std::move(socket)});
        }
      }
      clients_.remove_if([this](Client& client) { return !stays(client); });
    }
    tell_all(Kind::welcome, text);
  }

 private:
  struct Client {
    TcpSocket socket;
    std::string said{};
    Deadline patience = Deadline::after(introduction_time);
    int rank = 0;  ///< 0: a stranger, who has not said yet who he is
  };

  /// Returns whether the client is a rank, or may still say that it is one.
  bool stays(Client& client) {
    // A rank says a head and nothing more.
    const bool there = client.socket.receive(client.said, sizeof(Head) + 1);
    if (client.rank != 0) {
      if (there && client.said.size() == sizeof(Head)) {
        return true;
      }
      missing_.insert(client.rank);  // a rank that lost its connection comes again
      return false;
    }
    if (client.said.size() < sizeof(Head) && there && !client.patience.expired()) {
      return true;
    }
    const Head greeting = head_of(client.said);
    if (greeting.kind != Kind::greeting) {
      refusals_.insert("a client that is no rank");
      return false;
    }
    if (const std::string why = objection(greeting); !why.empty()) {
      refusals_.insert(name_of(greeting) + " (" + why + ")");
      say(client.socket, {.job = self_.job, .kind = Kind::refusal}, why);
      return false;
    }
    client.rank = greeting.rank;
    missing_.erase(client.rank);
    return true;
  }

  /// Returns why it is none of the ranks that are waited for, or an empty text.
  std::string objection(const Head& greeting) const {
    if (greeting.job != self_.job) {
      return "it belongs to another job than rank 0";
    }
    if (greeting.size != self_.size) {
      return "rank 0 has " + std::to_string(self_.size) + " ranks";
    }
    if (greeting.rank <= 0 || greeting.rank >= self_.size) {
      return "there can be no such rank beside rank 0";
    }
    return missing_.count(greeting.rank) == 0 ? "another process is that rank already" : "";
  }

  void tell_all(Kind kind, std::string_view body) const {
    for (const Client& client : clients_) {
      if (client.rank != 0) {
        say(client.socket, {.job = self_.job, .kind = kind}, body);
      }
    }
  }

  [[noreturn]] void give_up() const {
    const std::vector<int> missing(missing_.begin(), missing_.end());
    tell_all(Kind::missing, {reinterpret_cast<const char*>(missing.data()), missing.size() * sizeof(int)});
    std::string what = "not all ranks came to the meeting at rank 0 before the deadline";
    for (const std::string& refusal : refusals_) {
      what += "; refused: " + refusal;
    }
    throw CommunicationError(what, missing);
  }

  TcpSocket listener_;
  const Head self_;
  std::list<Client> clients_;
  std::set<int> missing_;
  std::set<std::string> refusals_;
};

/// Returns what rank 0 answers, or nothing if the peer is gone without an answer or is somebody else.
std::string ask(const TcpSocket& socket, const Head& greeting, Deadline& deadline) {
  std::string said;
  const auto size = [&] { return sizeof(Head) + head_of(said).body_bytes; };
  const auto waits = [&] { return socket.receive(said, size()) && said.size() < size(); };
  say(socket, greeting);
  while (waits() && pause(deadline)) {
  }
  for (Deadline patience = Deadline::after(last_words); waits() && pause(patience);) {
  }
  return said.size() == size() ? said : "";
}

/// The side of the other ranks: tries to reach rank 0 until it answers.
std::string visit(const RendezvousPlace& place, const Head& greeting, Deadline& deadline) {
  const std::string address = place.host + ", port " + std::to_string(place.port);
  std::string problem;
  do {
    const TcpSocket socket = connect_to(place.host, place.port, deadline, problem);
    if (!socket) {
      continue;
    }
    const std::string answer = ask(socket, greeting, deadline);
    const Kind kind = head_of(answer).kind;
    std::string body = answer.empty() ? "" : answer.substr(sizeof(Head));
    if (kind == Kind::welcome) {
      return body;
    }
    if (kind == Kind::missing) {
      std::vector<int> missing(body.size() / sizeof(int));
      std::copy_n(body.begin(), missing.size() * sizeof(int), reinterpret_cast<char*>(missing.data()));
      throw CommunicationError(name_of(greeting) + " met rank 0, but not all ranks came before the deadline",
                               missing);
    }
    if (kind == Kind::refusal) {
      throw CommunicationError(name_of(greeting) + " was refused by rank 0 at " + address + ": " + body, {});
    }
    problem = "it took the connection, but did not answer";
  } while (pause(deadline, try_interval_ms));
  throw CommunicationError("rank " + std::to_string(greeting.rank) + " did not meet rank 0 at " + address +
                               " before the deadline: " + problem,
                           {0});
}

}  // namespace

std::string meet(const RendezvousPlace& place, int rank, int size, std::string_view text,
                 Deadline& deadline) {
  const Head self{.job = place.job, .size = size, .rank = rank, .kind = Kind::greeting};
  if (rank != 0) {
    return visit(place, self, deadline);
  }
  if (size > 1) {
    Host(listen_for_ranks(place, deadline), self).receive_all(text, deadline);
  }
  return std::string(text);
}

}  // namespace contextual::sync
