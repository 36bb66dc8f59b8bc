#include "contextual/sync/nccl/rendezvous.hpp"

#include "contextual/sync/nccl/tcp_socket.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

namespace contextual::sync {
namespace {

// Who comes says a line, "contextual-rendezvous <job> <size> <rank>", and rank 0 answers with one: "welcome"
// and its text as numbers of bytes, "missing" and the ranks that did not come, or "refused" and why.
constexpr const char* greeting_word = "contextual-rendezvous";
constexpr std::size_t most_bytes = 1 << 20;  // of a line

/// Between two looks, and between two tries to reach rank 0 or to take its port.
constexpr std::chrono::milliseconds look_interval{1};
constexpr std::chrono::milliseconds try_interval{20};
/// How long a port may be in use by the meeting before, or by a program that is ending.
constexpr std::chrono::seconds port_patience{2};
/// How long somebody may take to say who he is; a rank says it at once.
constexpr std::chrono::seconds introduction_time{5};
/// Strangers at once. Further ones are turned away, and ranks come again.
constexpr std::size_t most_strangers = 256;
/// Rank 0 tells who is missing when its own deadline has expired, which is hardly later than this rank's.
constexpr std::chrono::milliseconds last_words{500};

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

bool is_whole(const std::string& line) {
  return !line.empty() && line.back() == '\n';
}

template <typename Numbers>
std::string line_of(const std::string& word, const Numbers& numbers) {
  std::ostringstream line;
  line << word;
  for (const auto number : numbers) {
    line << ' ' << +number;
  }
  line << '\n';
  return line.str();
}

/// The numbers behind the word of a line.
std::vector<int> numbers_of(std::istringstream& line) {
  std::vector<int> numbers;
  for (int number = 0; line >> number;) {
    numbers.push_back(number);
  }
  return numbers;
}

struct Greeting {
  std::uint64_t job = 0;
  long long size = 0;
  long long rank = 0;
};

/// Returns nothing for what no rank of this library says.
std::optional<Greeting> greeting_in(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  Greeting greeting;
  const bool is_one =
      words >> word >> greeting.job >> greeting.size >> greeting.rank && word == greeting_word;
  return is_one ? std::optional(greeting) : std::nullopt;
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
    std::this_thread::sleep_for(try_interval);
  }
}

/// Rank 0's side: waits until all other ranks are there, and then tells all of them the same. Whoever is not
/// one of them does not keep the others from meeting.
class Host {
 public:
  Host(const RendezvousPlace& place, int size, Deadline& deadline)
      : listener_(listen_at(place, deadline)), job_(place.job), size_(size) {}

  void receive_all(std::string_view text, Deadline& deadline) {
    while (static_cast<int>(arrived_.size()) < size_ - 1) {
      if (deadline.expired()) {
        give_up();
      }
      std::this_thread::sleep_for(look_interval);
      let_in();
      forget_the_gone();  // a rank that lost its connection comes again
      listen_to_strangers();
    }
    tell_all(line_of("welcome", text));
  }

 private:
  /// Somebody who has not said yet who he is.
  struct Stranger {
    TcpSocket socket;
    std::string said;
    Deadline patience;
  };

  void let_in() {
    while (TcpSocket socket = accept_from(listener_)) {
      if (strangers_.size() < most_strangers) {
        strangers_.push_back({std::move(socket), "", Deadline::after(introduction_time)});
      }
    }
  }

  void forget_the_gone() {
    for (auto one = arrived_.begin(); one != arrived_.end();) {
      std::string unexpected;
      const bool there = one->second.receive(unexpected, 1) && unexpected.empty();
      one = there ? std::next(one) : arrived_.erase(one);
    }
  }

  void listen_to_strangers() {
    strangers_.remove_if([this](Stranger& stranger) {
      const bool there = stranger.socket.receive(stranger.said, 256);
      if (is_whole(stranger.said)) {
        introduce(stranger);
        return true;
      }
      if (there && !stranger.patience.expired()) {
        return false;
      }
      refusals_.insert("a client that is no rank");
      return true;
    });
  }

  void introduce(Stranger& stranger) {
    const auto greeting = greeting_in(stranger.said);
    if (!greeting) {
      refusals_.insert("a client that is no rank");
      return;
    }
    if (const std::string why = objection(*greeting); !why.empty()) {
      refusals_.insert("rank " + std::to_string(greeting->rank) + " of " + std::to_string(greeting->size) +
                       " (" + why + ")");
      stranger.socket.send("refused " + why + "\n");
      return;
    }
    arrived_.emplace(static_cast<int>(greeting->rank), std::move(stranger.socket));
  }

  /// Returns why it is none of the ranks that are waited for, or an empty text.
  std::string objection(const Greeting& greeting) const {
    if (greeting.job != job_) {
      return "it belongs to another job than rank 0";
    }
    if (greeting.size != size_) {
      return "rank 0 has " + std::to_string(size_) + " ranks";
    }
    if (greeting.rank <= 0 || greeting.rank >= size_) {
      return "there can be no such rank beside rank 0";
    }
    return arrived_.count(static_cast<int>(greeting.rank)) != 0 ? "another process is that rank already" : "";
  }

  void tell_all(const std::string& line) const {
    for (const auto& [rank, socket] : arrived_) {
      socket.send(line);
    }
  }

  [[noreturn]] void give_up() const {
    std::vector<int> missing;
    for (int rank = 1; rank < size_; ++rank) {
      if (arrived_.count(rank) == 0) {
        missing.push_back(rank);
      }
    }
    tell_all(line_of("missing", missing));
    std::string what = "not all ranks came to the meeting at rank 0 before the deadline";
    for (const std::string& refusal : refusals_) {
      what += "; refused: " + refusal;
    }
    throw CommunicationError(what, missing);
  }

  TcpSocket listener_;
  const std::uint64_t job_;
  const int size_;
  std::list<Stranger> strangers_;
  std::map<int, TcpSocket> arrived_;  ///< by rank
  std::set<std::string> refusals_;
};

/// The side of the other ranks.
class Guest {
 public:
  Guest(const RendezvousPlace& place, int rank, int size)
      : place_(place),
        self_("rank " + std::to_string(rank)),
        address_(place.host + ", port " + std::to_string(place.port)),
        greeting_(greeting_word + (' ' + std::to_string(place.job)) + ' ' + std::to_string(size) + ' ' +
                  std::to_string(rank) + '\n'),
        size_(size) {}

  std::string visit(Deadline& deadline) {
    while (!deadline.expired()) {
      if (const TcpSocket socket = connect_to(place_.host, place_.port, deadline, problem_)) {
        if (const auto text = ask(socket, deadline)) {
          return *text;
        }
      }
      std::this_thread::sleep_for(try_interval);
    }
    throw CommunicationError(
        self_ + " did not meet rank 0 at " + address_ + " before the deadline: " + problem_, {0});
  }

 private:
  /// Returns nothing if rank 0, or whoever it was, is gone without an answer.
  std::optional<std::string> ask(const TcpSocket& socket, Deadline& deadline) {
    problem_ = "it took the connection, but did not answer";
    if (!socket.send(greeting_)) {
      return std::nullopt;
    }
    Deadline patience = Deadline::after(deadline.remaining() + last_words);
    std::string said;
    while (socket.receive(said, most_bytes) && !is_whole(said) && !patience.expired()) {
      std::this_thread::sleep_for(look_interval);
    }
    return is_whole(said) ? understand(said) : std::nullopt;
  }

  std::optional<std::string> understand(const std::string& answer) const {
    std::istringstream line(answer);
    std::string word;
    line >> word;
    if (word == "welcome") {
      const std::vector<int> bytes = numbers_of(line);
      return std::string(bytes.begin(), bytes.end());
    }
    if (word == "missing") {
      throw CommunicationError(self_ + " met rank 0, but not all ranks came before the deadline",
                               numbers_of(line));
    }
    if (word == "refused") {
      std::string why;
      std::getline(line >> std::ws, why);
      throw CommunicationError(
          self_ + " of " + std::to_string(size_) + " was refused by rank 0 at " + address_ + ": " + why, {});
    }
    return std::nullopt;
  }

  const RendezvousPlace& place_;
  const std::string self_;
  const std::string address_;
  const std::string greeting_;
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
    Host(place, size, deadline).receive_all(text, deadline);
  }
  return std::string(text);
}

}  // namespace contextual::sync
