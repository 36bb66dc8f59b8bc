#include <contextual/error.hpp>
#include <contextual/testing/scripted_communicator.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace contextual::testing {
namespace {

enum class Kind { reduce, gather };

/// What one rank brought to a collective.
struct Arrival {
  bool present = false;
  Kind kind = Kind::reduce;
  std::size_t length = 0;  ///< words; of no meaning for a gather
};

/// One collective. Written under the world's lock until it is complete, never again after that: a fast rank
/// is in the next round while slow ones still read this one.
struct Round {
  explicit Round(std::size_t ranks) : arrivals(ranks), parts(ranks) {}
  std::vector<Arrival> arrivals;
  std::size_t arrived = 0;
  std::vector<std::int64_t> values;
  std::vector<std::string> parts;
  bool complete = false;
};

struct Fault {
  bool drop = false;
  std::chrono::nanoseconds delay{0};
};

std::string list_of(const std::vector<int>& ranks, const std::vector<bool>& gone) {
  std::string text;
  for (const int rank : ranks) {
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
    text += gone[static_cast<std::size_t>(rank)] ? " (gone)" : "";
  }
  return text;
}

std::string describe(const Arrival& arrival) {
  return arrival.kind == Kind::gather ? "gathers" : "reduces " + std::to_string(arrival.length) + " values";
}

/// Empty when all ranks called the same collective.
std::string mismatch(const Round& round) {
  const Arrival& first = round.arrivals[0];
  for (std::size_t rank = 1; rank < round.arrivals.size(); ++rank) {
    const Arrival& other = round.arrivals[rank];
    if (other.kind != first.kind || (first.kind == Kind::reduce && other.length != first.length)) {
      return "rank 0 " + describe(first) + " where rank " + std::to_string(rank) + " " + describe(other);
    }
  }
  return {};
}

int next_world() {
  static std::atomic<int> worlds{0};
  return worlds.fetch_add(1);
}

}  // namespace

struct ScriptedWorld::State : std::enable_shared_from_this<State> {
  class Rank;

  explicit State(int ranks)
      : size(ranks),
        world(next_world()),
        gone(static_cast<std::size_t>(ranks), false),
        communicators(static_cast<std::size_t>(ranks)),
        round(std::make_shared<Round>(static_cast<std::size_t>(ranks))) {}

  void check(int rank) const {
    if (rank < 0 || rank >= size) {
      throw InvalidArgument("ScriptedWorld: rank " + std::to_string(rank) + " is not in [0, " +
                            std::to_string(size) + ")");
    }
  }

  void poison(std::string why, std::vector<int> ranks) {
    if (!failure) {
      failure = std::move(why);
      missing = std::move(ranks);
      changed.notify_all();
    }
  }

  [[noreturn]] void fail(int rank) const {
    throw CommunicationError("rank " + std::to_string(rank) + ": " + *failure, missing);
  }

  /// The ranks that are missing when a rank has waited in vain: those that had not arrived. A rank that is
  /// dropped itself cannot tell late ranks from missing ones: it names those that are dropped here.
  void expire(const Round& waiting, std::int64_t index, bool dropped) {
    std::vector<int> absent;
    for (int rank = 0; rank < size; ++rank) {
      const bool arrived = waiting.arrivals[static_cast<std::size_t>(rank)].present;
      if (dropped ? fault_of(rank, index).drop : !arrived) {
        absent.push_back(rank);
      }
    }
    poison("deadline expired in collective " + std::to_string(index) +
               " of the tuner; missing ranks: " + list_of(absent, gone),
           absent);
  }

  Fault fault_of(int rank, std::int64_t index) const {
    const auto found = faults.find({rank, index});
    return found == faults.end() ? Fault{} : found->second;
  }

  void complete(Round& done) {
    if (const std::string text = mismatch(done); !text.empty()) {
      poison("the ranks called different collectives: " + text, {});
      return;
    }
    done.complete = true;
    ++traffic.collectives;
    if (done.arrivals[0].kind == Kind::reduce) {
      ++traffic.reduces;
      traffic.reduced_words += static_cast<std::int64_t>(done.values.size());
    } else {
      for (const std::string& part : done.parts) {
        traffic.gathered_bytes += static_cast<std::int64_t>(part.size());
      }
    }
    round = std::make_shared<Round>(static_cast<std::size_t>(size));
    changed.notify_all();
  }

  /// Brings a rank's part to the current collective, waits for the others' and returns it complete.
  template <typename Contribute>
  std::shared_ptr<const Round> meet(int rank, std::int64_t index, Arrival arrival, Deadline& deadline,
                                    const Contribute& contribute) {
    std::unique_lock lock(mutex);
    const Fault fault = fault_of(rank, index);
    if (fault.drop) {
      deadline.wait(changed, lock, [&] { return failure.has_value(); });
    } else if (fault.delay.count() > 0) {
      Deadline::after(fault.delay).wait(changed, lock, [&] { return failure || deadline.expired(); });
    }
    if (failure) {
      fail(rank);
    }
    const std::shared_ptr<Round> mine = round;
    if (!fault.drop) {
      mine->arrivals[static_cast<std::size_t>(rank)] = arrival;
      contribute(*mine);
      if (++mine->arrived == static_cast<std::size_t>(size)) {
        complete(*mine);
      }
      deadline.wait(changed, lock, [&] { return mine->complete || failure.has_value(); });
    }
    if (!mine->complete) {
      expire(*mine, index, fault.drop);  // does nothing when the world is poisoned already
      fail(rank);
    }
    return mine;
  }

  const int size;
  const int world;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> gone;
  std::vector<std::weak_ptr<Communicator>> communicators;
  std::map<std::pair<int, std::int64_t>, Fault> faults;
  std::vector<std::int64_t> collective_count = std::vector<std::int64_t>(static_cast<std::size_t>(size), 0);
  std::shared_ptr<Round> round;
  std::optional<std::string> failure;
  std::vector<int> missing;
  ScriptedTraffic traffic;
};

/// One rank's view. Holds the state, so that it may outlive the world.
class ScriptedWorld::State::Rank final : public Communicator {
 public:
  Rank(std::shared_ptr<State> state, int rank)
      : state_(std::move(state)),
        rank_(rank),
        scope_("world-" + std::to_string(state_->world) + "/rank-" + std::to_string(rank)) {}

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return state_->size; }

  void all_reduce_max(std::span<std::int64_t> values, Deadline deadline) override {
    const auto round =
        state_->meet(rank_, next(), {true, Kind::reduce, values.size()}, deadline, [&](Round& r) {
          if (r.values.empty()) {
            r.values.assign(values.begin(), values.end());
          }
          for (std::size_t i = 0; i < std::min(values.size(), r.values.size()); ++i) {
            r.values[i] = std::max(r.values[i], values[i]);
          }
        });
    std::copy(round->values.begin(), round->values.end(), values.begin());
  }

  std::vector<std::string> all_gather(std::string_view bytes, Deadline deadline) override {
    const auto round = state_->meet(rank_, next(), {true, Kind::gather, 0}, deadline,
                                    [&](Round& r) { r.parts[static_cast<std::size_t>(rank_)] = bytes; });
    return round->parts;
  }

  std::string describe() const override { return "scripted (" + std::to_string(state_->size) + " ranks)"; }
  std::string_view process_scope() const noexcept override { return scope_; }

 private:
  std::int64_t next() {
    const std::scoped_lock lock(state_->mutex);
    return state_->collective_count[static_cast<std::size_t>(rank_)]++;
  }

  const std::shared_ptr<State> state_;
  const int rank_;
  const std::string scope_;
};

ScriptedWorld::ScriptedWorld(int ranks) {
  if (ranks < 1) {
    throw InvalidArgument("ScriptedWorld: " + std::to_string(ranks) + " ranks; give at least 1");
  }
  state_ = std::make_shared<State>(ranks);
}

int ScriptedWorld::size() const noexcept {
  return state_->size;
}

std::shared_ptr<Communicator> ScriptedWorld::communicator(int rank) {
  state_->check(rank);
  const std::scoped_lock lock(state_->mutex);
  auto& kept = state_->communicators[static_cast<std::size_t>(rank)];  // weak: they hold the state
  std::shared_ptr<Communicator> communicator = kept.lock();
  if (!communicator) {
    communicator = std::make_shared<State::Rank>(state_, rank);
    kept = communicator;
  }
  return communicator;
}

void ScriptedWorld::drop(int rank, std::int64_t collective_index) {
  state_->check(rank);
  const std::scoped_lock lock(state_->mutex);
  state_->faults[{rank, collective_index}].drop = true;
}

void ScriptedWorld::delay(int rank, std::int64_t collective_index, std::chrono::nanoseconds delay) {
  state_->check(rank);
  const std::scoped_lock lock(state_->mutex);
  state_->faults[{rank, collective_index}].delay = delay;
}

void ScriptedWorld::leave(int rank) {
  state_->check(rank);
  const std::scoped_lock lock(state_->mutex);
  state_->gone[static_cast<std::size_t>(rank)] = true;
}

bool ScriptedWorld::poisoned() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->failure.has_value();
}

ScriptedTraffic ScriptedWorld::traffic() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->traffic;
}

std::vector<std::exception_ptr> ScriptedWorld::run(
    const std::function<void(int rank, const std::shared_ptr<Communicator>& communicator)>& body) {
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size()));
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(size()));
    for (int rank = 0; rank < size(); ++rank) {
      threads.emplace_back([this, rank, &body, &thrown] {
        try {
          body(rank, communicator(rank));
        } catch (...) {
          thrown[static_cast<std::size_t>(rank)] = std::current_exception();
        }
        leave(rank);
      });
    }
  }
  return thrown;
}

}  // namespace contextual::testing
