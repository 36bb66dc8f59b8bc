#include "contextual/testing/violations.hpp"

#include <contextual/error.hpp>
#include <contextual/testing/communicator_conformance.hpp>

#include <algorithm>
#include <exception>
#include <latch>
#include <limits>
#include <optional>
#include <thread>

namespace contextual::testing {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

/// One rank's side of the check.
class RankCheck {
 public:
  RankCheck(Communicator& communicator, std::chrono::nanoseconds deadline, Violations& violations)
      : communicator_(communicator), deadline_(deadline), violations_(violations) {}

  /// False when a collective failed: the ranks cannot go on together.
  bool run() {
    try {
      if (!identity()) {
        return false;
      }
      reduces();
      gathers();
      sequences();
      return true;
    } catch (const std::exception& error) {
      add(std::string("a collective failed although every rank called it: ") + error.what());
    } catch (...) {
      add("a collective threw something that is no std::exception");
    }
    return false;
  }

 private:
  void add(const std::string& text) {
    violations_.add("rank " + std::to_string(communicator_.rank()) + ": " + text);
  }
  void expect(bool holds, const std::string& text) {
    if (!holds) {
      add(text);
    }
  }

  bool identity() {
    rank_ = communicator_.rank();
    size_ = communicator_.size();
    const bool valid = size_ >= 1 && rank_ >= 0 && rank_ < size_;
    expect(valid, "rank() is not in [0, size()), or size() is less than 1");
    expect(!communicator_.describe().empty(), "describe() is empty");
    return valid;
  }

  void reduce(std::vector<std::int64_t> values, const std::vector<std::int64_t>& expected, const char* what) {
    communicator_.all_reduce_max(values, Deadline::after(deadline_));
    expect(values == expected, std::string("all_reduce_max gives wrong maxima for ") + what);
  }

  void reduces() {
    const std::int64_t last = size_ - 1;
    reduce({rank_, -rank_, 7}, {last, 0, 7}, "small values");
    reduce({lowest, rank_ == last ? highest : lowest}, {lowest, highest}, "extreme values");
    reduce({lowest + rank_}, {lowest + last}, "negative values");
    reduce({}, {}, "no values");

    std::vector<std::int64_t> many(5000);
    std::vector<std::int64_t> expected(many.size());
    for (std::size_t i = 0; i < many.size(); ++i) {
      const auto owner = static_cast<std::int64_t>(i) % size_;
      many[i] = rank_ == owner ? static_cast<std::int64_t>(i) + 1 : 0;
      expected[i] = static_cast<std::int64_t>(i) + 1;
    }
    reduce(many, expected, "many values");
  }

  /// Another text on every rank, with another length and a zero byte inside; empty on rank 0 in round 0.
  static std::string part(int rank, int round) {
    std::string text(static_cast<std::size_t>(rank + round) * 3, static_cast<char>('a' + rank % 26));
    if (!text.empty()) {
      text[text.size() / 2] = '\0';
    }
    return text;
  }

  void gather(int round) {
    const std::vector<std::string> parts =
        communicator_.all_gather(part(rank_, round), Deadline::after(deadline_));
    expect(static_cast<int>(parts.size()) == size_, "all_gather does not give one text a rank");
    for (int rank = 0; rank < std::min(size_, static_cast<int>(parts.size())); ++rank) {
      expect(parts[static_cast<std::size_t>(rank)] == part(rank, round),
             "all_gather does not give every rank's bytes unchanged and in rank order");
    }
  }

  void gathers() {
    gather(0);
    gather(1);
    const std::string nothing;
    const auto parts = communicator_.all_gather(nothing, Deadline::after(deadline_));
    expect(static_cast<int>(parts.size()) == size_ &&
               std::all_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); }),
           "all_gather of empty texts does not give empty texts");
  }

  void sequences() {
    for (int round = 0; round < 20; ++round) {
      reduce({round * 1000 + rank_, -round}, {round * 1000 + size_ - 1, -round}, "collectives in sequence");
      gather(round % 3);
    }
  }

  Communicator& communicator_;
  const std::chrono::nanoseconds deadline_;
  Violations& violations_;
  int rank_ = 0;
  int size_ = 1;
};

/// Runs `body` for ranks [0, count), each in a thread of its own.
void in_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([rank, &body] { body(rank); });
  }
}

using Ranks = std::vector<std::shared_ptr<Communicator>>;

void check_identities(const Ranks& ranks, Violations& violations) {
  const int size = static_cast<int>(ranks.size());
  std::vector<std::string> scopes;
  for (int rank = 0; rank < size; ++rank) {
    const Communicator& communicator = *ranks[static_cast<std::size_t>(rank)];
    violations.expect(communicator.rank() == rank && communicator.size() == size,
                      "rank() or size() is not what the communicator was made for");
    scopes.emplace_back(communicator.process_scope());
  }
  std::sort(scopes.begin(), scopes.end());
  violations.expect(size == 1 || (!scopes.front().empty() &&
                                  std::adjacent_find(scopes.begin(), scopes.end()) == scopes.end()),
                    "process_scope() is empty or equal on two ranks that are threads of one process");
}

/// Whether a rank names `missing`, or nobody. On a busy machine others may have been late as well; the rank
/// itself was not.
bool names(const std::vector<int>& named, int missing, int self) {
  const auto has = [&](int rank) { return std::find(named.begin(), named.end(), rank) != named.end(); };
  return named.empty() || (has(missing) && !has(self));
}

/// One call that must throw CommunicationError, naming `missing` if that is given.
void must_throw(Communicator& communicator, std::chrono::nanoseconds deadline, std::optional<int> missing,
                const char* when, Violations& violations) {
  const std::string rank = "rank " + std::to_string(communicator.rank()) + ": ";
  try {
    std::vector<std::int64_t> values{1};
    communicator.all_reduce_max(values, Deadline::after(deadline));
    violations.add(rank + "no CommunicationError " + when);
  } catch (const CommunicationError& error) {
    violations.expect(!missing || names(error.missing_ranks(), *missing, communicator.rank()),
                      rank + "missing_ranks() names other ranks than the missing one " + when);
  } catch (...) {
    violations.add(rank + "something else than CommunicationError " + when);
  }
}

void check_failures(const Ranks& ranks, std::chrono::nanoseconds deadline, Violations& violations) {
  const int size = static_cast<int>(ranks.size());
  const int missing = size - 1;
  std::latch ready(missing);  // so that no deadline runs while threads still start
  in_threads(missing, [&](int rank) {
    ready.arrive_and_wait();
    must_throw(*ranks[static_cast<std::size_t>(rank)], deadline, missing, "when a rank does not arrive",
               violations);
  });
  // Now nobody is missing: only a poisoned communicator still throws.
  in_threads(size, [&](int rank) {
    must_throw(*ranks[static_cast<std::size_t>(rank)], deadline, std::nullopt,
               "after an earlier expiry (poisoned)", violations);
  });
}

}  // namespace

std::vector<std::string> check_communicator_rank(Communicator& communicator,
                                                 std::chrono::nanoseconds deadline) {
  Violations violations;
  RankCheck(communicator, deadline, violations).run();
  return violations.take();
}

std::vector<std::string> check_communicator(
    const std::function<std::shared_ptr<Communicator>(int rank)>& make, int size,
    std::chrono::nanoseconds short_deadline) {
  Violations violations;
  Ranks ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.push_back(make(rank));
    if (!violations.expect(ranks.back() != nullptr, "no communicator was made")) {
      return violations.take();
    }
  }
  check_identities(ranks, violations);
  // A violation here may leave the ranks out of step: what follows would only wait.
  constexpr std::chrono::seconds long_deadline{30};
  in_threads(size, [&](int rank) {
    RankCheck(*ranks[static_cast<std::size_t>(rank)], long_deadline, violations).run();
  });
  std::vector<std::string> lines = violations.take();
  if (lines.empty() && size > 1) {
    check_failures(ranks, short_deadline, violations);
    lines = violations.take();
  }
  return lines;
}

}  // namespace contextual::testing
