#include "kernels/cuda/peers/scatter_plan.hpp"

#include "support/catch.hpp"
#include "unit/kernels_cuda/actors.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace scatter_plan_test {

namespace {

using namespace contextual::kernels;
using namespace contextual::kernels::test;

using MakePlan = std::function<ScatterPlan(const RowPartition&, int rank, int lanes)>;

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

/// Ranks that each compute a partial matrix, several times, and sum their own rows of all of them. What a row
/// holds is the number of the call that computed it.
class ScatterWorld {
 public:
  ScatterWorld(const RowPartition& partition, int lanes, int calls, const MakePlan& make_plan)
      : partition_(partition), ranks_(index(partition.ranks())) {
    for (Rank& rank : ranks_) {
      rank.partial.assign(index(partition.m()), 0);
      rank.slots.assign(ranks_.size(), std::vector<int>(index(partition.rows_per_shard()), 0));
      rank.computed.assign(index(partition.flag_count()), false);
      rank.offered.assign(index(partition.flag_count()), false);
      rank.arrived.assign(ranks_.size(), 0);
      rank.done.assign(ranks_.size(), false);
    }
    for (int r = 0; r < partition.ranks(); ++r) {
      const ScatterPlan plan = make_plan(partition, r, lanes);
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
    std::vector<int> partial;             ///< by row of the whole matrix
    std::vector<std::vector<int>> slots;  ///< by source and row of the own shard
    std::vector<bool> computed;           ///< by chunk of the whole matrix
    std::vector<bool> offered;            ///< by source and chunk of the own shard
    std::vector<int> arrived;
    std::vector<bool> done;  ///< by owner: it reads this rank's partial sums no more
    int forked = 0;
    int ended_lanes = 0;
  };

  static void require(bool holds, const char* what) {
    if (!holds) {
      throw std::logic_error(what);
    }
  }

  void add_call(int r, int call, const ScatterPlan& plan, std::size_t main) {
    Rank& own = ranks_[index(r)];
    Stream& stream = streams_[main];
    stream.then([this, &own] {
      own.computed.assign(own.computed.size(), false);
      own.offered.assign(own.offered.size(), false);
      own.done.assign(ranks_.size(), false);
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
    for (const int owner : scatter_order(r, partition_.ranks())) {
      add_products(stream, own, owner, call);
    }
    add_sums(stream, own, r, call, plan.owner_reads_partials);
    stream.wait([&own, lanes = plan.lanes.size()] { return own.ended_lanes == static_cast<int>(lanes); });
    if (plan.owner_reads_partials) {
      for (std::size_t p = 0; p < ranks_.size(); ++p) {
        stream.wait([&own, p] { return own.done[p]; });
      }
    }
  }

  void add_products(Stream& stream, Rank& own, int owner, int call) {
    for (int chunk = 0; chunk < partition_.chunks(); ++chunk) {
      const Rows rows = partition_.chunk(owner, chunk);
      for (int row = rows.begin; row < rows.end; ++row) {
        stream.then([&own, row, call] { own.partial[index(row)] = call; });
      }
      stream.then([&own, flag = partition_.flag(owner, chunk)] { own.computed[index(flag)] = true; });
    }
  }

  void add_sums(Stream& stream, Rank& own, int r, int call, bool reads_partials) {
    for (int chunk = 0; chunk < partition_.chunks(); ++chunk) {
      const Rows rows = partition_.chunk(r, chunk);
      for (int source = 0; source < partition_.ranks() && !rows.empty(); ++source) {
        stream.wait([&own, flag = partition_.flag(source, chunk)] { return own.offered[index(flag)]; });
        for (int row = rows.begin; row < rows.end; ++row) {
          stream.then([this, &own, r, source, row, call, reads_partials] {
            const bool at_source = reads_partials || source == r;
            const int value = at_source ? ranks_[index(source)].partial[index(row)]
                                        : own.slots[index(source)][index(row - partition_.shard(r).begin)];
            require(value == call, "a row of another call was summed");
          });
        }
      }
    }
    for (Rank& peer : ranks_) {
      stream.then([&peer, r] { peer.done[index(r)] = true; });
    }
  }

  void add_lane(Stream& stream, Rank& own, int r, int call, const std::vector<ScatterStep>& steps) {
    stream.wait([&own, call] { return own.forked == call; });
    for (const ScatterStep& step : steps) {
      if (const auto* await = std::get_if<AwaitChunk>(&step)) {
        stream.wait(
            [&own, flag = partition_.flag(await->owner, await->index)] { return own.computed[index(flag)]; });
      } else if (const auto* send = std::get_if<SendPartial>(&step)) {
        for (int row = send->rows.begin; row < send->rows.end; ++row) {
          stream.then([this, &own, r, owner = send->owner, row] {
            ranks_[index(owner)].slots[index(r)][index(row - partition_.shard(owner).begin)] =
                own.partial[index(row)];
          });
        }
      } else {
        const auto& offer = std::get<OfferChunk>(step);
        stream.then([this, r, offer] {
          ranks_[index(offer.owner)].offered[index(partition_.flag(r, offer.index))] = true;
        });
      }
    }
    stream.then([&own] { ++own.ended_lanes; });
  }

  RowPartition partition_;
  std::vector<Rank> ranks_;
  std::vector<Stream> streams_;
};

void scatter_in_every_way(const MakePlan& make_plan) {
  constexpr int calls = 3;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const int m : {1, ranks, 3 * ranks + 1}) {
      for (const int chunks : {1, 2, 3}) {
        for (const int lanes : {1, 2}) {
          for (std::uint32_t seed = 0; seed < 10; ++seed) {
            CAPTURE(ranks, m, chunks, lanes, seed);
            ScatterWorld world(RowPartition(m, ranks, chunks), lanes, calls, make_plan);
            REQUIRE_NOTHROW(world.run(seed));
          }
        }
      }
    }
  }
}

bool is_found_wrong(const MakePlan& make_plan) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    try {
      ScatterWorld world(RowPartition(12, 3, 2), 2, 3, make_plan);
      world.run(seed);
    } catch (const std::exception&) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("sending partial sums lets every owner sum those of this call, in any order of the ranks' steps",
          "[unit]") {
  scatter_in_every_way(send_plan);
}

TEST_CASE("offering partial sums lets every owner sum those of this call, in any order of the ranks' steps",
          "[unit]") {
  scatter_in_every_way(offer_plan);
}

TEST_CASE("the world of these tests finds a plan that sends, offers or computes too early", "[unit]") {
  const auto without_waiting = [](const RowPartition& partition, int rank, int lanes) {
    ScatterPlan plan = send_plan(partition, rank, lanes);
    plan.lanes[0].erase(plan.lanes[0].begin());
    return plan;
  };
  const auto offered_before_sent = [](const RowPartition& partition, int rank, int lanes) {
    ScatterPlan plan = send_plan(partition, rank, lanes);
    std::swap(plan.lanes[0][1], plan.lanes[0][2]);
    return plan;
  };
  const auto computed_anew_while_read = [](const RowPartition& partition, int rank, int lanes) {
    ScatterPlan plan = offer_plan(partition, rank, lanes);
    plan.owner_reads_partials = false;
    return plan;
  };
  REQUIRE(is_found_wrong(without_waiting));
  REQUIRE(is_found_wrong(offered_before_sent));
  REQUIRE(is_found_wrong(computed_anew_while_read));
}

TEST_CASE("a rank computes and sends its own rows last, and each step has other targets on every rank",
          "[unit]") {
  REQUIRE(scatter_order(2, 4) == std::vector<int>{3, 0, 1, 2});
  for (std::size_t step = 0; step < 4; ++step) {
    std::vector<bool> targets(4);
    for (int rank = 0; rank < 4; ++rank) {
      const int target = scatter_order(rank, 4)[step];
      REQUIRE_FALSE(targets[index(target)]);
      targets[index(target)] = true;
    }
  }
}

}  // namespace scatter_plan_test
