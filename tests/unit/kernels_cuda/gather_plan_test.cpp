#include "kernels/cuda/peers/gather_plan.hpp"

#include "support/catch.hpp"
#include "unit/kernels_cuda/actors.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <stdexcept>
#include <variant>
#include <vector>

namespace gather_plan_test {

namespace {

using namespace contextual::kernels;
using namespace contextual::kernels::test;

using MakePlan = std::function<GatherPlan(const RowPartition&, int rank, int lanes)>;

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

/// Ranks that gather a matrix several times, in place: a producer writes own rows, the ranks meet, the lanes
/// copy, and a GEMM reads all rows, own ones first. What a row holds is the number of the call that wrote it.
class GatherWorld {
 public:
  GatherWorld(const RowPartition& partition, int lanes, int calls, const MakePlan& make_plan)
      : partition_(partition), ranks_(index(partition.ranks())) {
    for (Rank& rank : ranks_) {
      rank.matrix.assign(index(partition.m()), 0);
      rank.ready.assign(index(partition.flag_count()), false);
      rank.arrived.assign(ranks_.size(), 0);
      rank.done.assign(ranks_.size(), 0);
    }
    for (int r = 0; r < partition.ranks(); ++r) {
      const GatherPlan plan = make_plan(partition, r, lanes);
      const std::size_t main = streams_.size();
      streams_.resize(streams_.size() + 1 + plan.lanes.size());
      for (int call = 1; call <= calls; ++call) {
        add_call(r, call, plan, main);
      }
    }
  }

  void run(std::uint32_t seed) { run_all(streams_, seed); }

 private:
  struct Rank {
    std::vector<int> matrix;
    std::vector<bool> ready;
    std::vector<int> arrived;  ///< by rank, the last call for which it has arrived
    std::vector<int> done;     ///< by rank, the lanes that read own rows no more
    int forked = 0;            ///< the last call whose lanes may begin
    int ended_lanes = 0;       ///< of this call
  };

  void require(bool holds, const char* what) const {
    if (!holds) {
      throw std::logic_error(what);
    }
  }

  void add_call(int r, int call, const GatherPlan& plan, std::size_t main) {
    Rank& own = ranks_[index(r)];
    Stream& stream = streams_[main];
    const Rows shard = partition_.shard(r);
    for (int row = shard.begin; row < shard.end; ++row) {
      stream.then([&own, row, call] { own.matrix[index(row)] = call; });
    }
    stream.then([this, &own, r] {
      own.done.assign(ranks_.size(), 0);
      for (int f = 0; f < partition_.flag_count(); ++f) {
        own.ready[index(f)] = f / RowPartition::most_chunks == r;
      }
    });
    for (Rank& peer : ranks_) {
      stream.then([&peer, r, call] { peer.arrived[index(r)] = call; });
    }
    for (std::size_t p = 0; p < ranks_.size(); ++p) {
      stream.wait([&own, p, call] { return own.arrived[p] >= call; });
    }
    stream.then([&own, call] {
      own.ended_lanes = 0;
      own.forked = call;
    });
    for (std::size_t lane = 0; lane < plan.lanes.size(); ++lane) {
      add_lane(streams_[main + 1 + lane], own, r, call, plan.lanes[lane]);
    }
    for (int distance = 0; distance < partition_.ranks(); ++distance) {
      add_reads(stream, own, (r + distance) % partition_.ranks(), call);
    }
    stream.wait([&own, lanes = plan.lanes.size()] { return own.ended_lanes == static_cast<int>(lanes); });
    if (plan.peers_read_own_rows) {
      for (std::size_t p = 0; p < ranks_.size(); ++p) {
        if (p != index(r)) {
          stream.wait(
              [&own, p, lanes = plan.lanes.size()] { return own.done[p] == static_cast<int>(lanes); });
        }
      }
    }
  }

  void add_lane(Stream& stream, Rank& own, int r, int call, const std::vector<GatherStep>& steps) {
    stream.wait([&own, call] { return own.forked == call; });
    for (const GatherStep& step : steps) {
      if (const auto* copy = std::get_if<CopyRows>(&step)) {
        require(copy->from == r || copy->to == r, "a rank copies between others");
        for (int row = copy->rows.begin; row < copy->rows.end; ++row) {
          stream.then([this, copy = *copy, row] {
            ranks_[index(copy.to)].matrix[index(row)] = ranks_[index(copy.from)].matrix[index(row)];
          });
        }
      } else if (const auto* ready = std::get_if<SetReady>(&step)) {
        stream.then([this, ready = *ready] { ranks_[index(ready.rank)].ready[index(ready.flag)] = true; });
      } else {
        stream.then([this, r, to = std::get<TellDone>(step).rank] { ++ranks_[index(to)].done[index(r)]; });
      }
    }
    stream.then([&own] { ++own.ended_lanes; });
  }

  void add_reads(Stream& stream, Rank& own, int owner, int call) {
    for (int chunk = 0; chunk < partition_.chunks(); ++chunk) {
      const Rows rows = partition_.chunk(owner, chunk);
      if (rows.empty()) {
        continue;
      }
      stream.wait([&own, flag = partition_.flag(owner, chunk)] { return own.ready[index(flag)]; });
      for (int row = rows.begin; row < rows.end; ++row) {
        stream.then([this, &own, row, call] {
          require(own.matrix[index(row)] == call, "a row of another call was read");
        });
      }
    }
  }

  RowPartition partition_;
  std::vector<Rank> ranks_;
  std::vector<Stream> streams_;
};

void gather_in_every_way(const MakePlan& make_plan) {
  constexpr int calls = 3;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const int m : {1, ranks, 3 * ranks + 1}) {
      for (const int chunks : {1, 2, 3}) {
        for (const int lanes : {1, 2}) {
          for (std::uint32_t seed = 0; seed < 10; ++seed) {
            CAPTURE(ranks, m, chunks, lanes, seed);
            GatherWorld world(RowPartition(m, ranks, chunks), lanes, calls, make_plan);
            REQUIRE_NOTHROW(world.run(seed));
          }
        }
      }
    }
  }
}

/// Returns true if some order of the steps makes the plan fail.
bool is_found_wrong(const MakePlan& make_plan) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    try {
      GatherWorld world(RowPartition(12, 3, 2), 2, 3, make_plan);
      world.run(seed);
    } catch (const std::exception&) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("pulling gives every rank all rows of this call, in any order of the ranks' steps", "[unit]") {
  gather_in_every_way(pull_plan);
}

TEST_CASE("pushing gives every rank all rows of this call, in any order of the ranks' steps", "[unit]") {
  gather_in_every_way(push_plan);
}

TEST_CASE(
    "the world of these tests finds a plan that sets flags too early, or lets rows be changed too early",
    "[unit]") {
  REQUIRE(is_found_wrong([](const RowPartition& partition, int rank, int lanes) {
    GatherPlan plan = pull_plan(partition, rank, lanes);
    std::swap(plan.lanes[0][0], plan.lanes[0][1]);
    return plan;
  }));
  REQUIRE(is_found_wrong([](const RowPartition& partition, int rank, int lanes) {
    GatherPlan plan = pull_plan(partition, rank, lanes);
    plan.peers_read_own_rows = false;
    return plan;
  }));
  REQUIRE(is_found_wrong([](const RowPartition& partition, int rank, int lanes) {
    GatherPlan plan = push_plan(partition, rank, lanes);
    plan.lanes[1].clear();
    return plan;
  }));
}

TEST_CASE("no two ranks fetch from one rank, or send to one, at a time", "[unit]") {
  const RowPartition partition(16, 4);
  for (const std::size_t step : {0U, 1U, 2U}) {
    std::vector<bool> sources(4);
    std::vector<bool> targets(4);
    for (int rank = 0; rank < 4; ++rank) {
      const auto pulled = std::get<CopyRows>(pull_plan(partition, rank, 1).lanes[0][3 * step]);
      REQUIRE(pulled.to == rank);
      REQUIRE_FALSE(sources[index(pulled.from)]);
      sources[index(pulled.from)] = true;
      const auto pushed = std::get<CopyRows>(push_plan(partition, rank, 1).lanes[0][2 * step]);
      REQUIRE(pushed.from == rank);
      REQUIRE_FALSE(targets[index(pushed.to)]);
      targets[index(pushed.to)] = true;
      // A rank gets rows in the order in which its GEMM wants them, whoever carries them.
      REQUIRE(pushed == CopyRows{rank, pushed.to, partition.shard(rank)});
      REQUIRE((pushed.to + static_cast<int>(step) + 1) % 4 == rank);
    }
  }
}

}  // namespace gather_plan_test
