#include "kernels/cuda/peers/gather_plan.hpp"

#include <cstddef>

namespace contextual::kernels {
namespace {

/// Deals the chunks that `source` sends to `target` to the lanes.
void add_chunks(GatherPlan& plan, const RowPartition& partition, int source, int target) {
  std::size_t lane = 0;
  for (int index = 0; index < partition.chunks(); ++index) {
    const Rows rows = partition.chunk(source, index);
    if (rows.empty()) {
      continue;
    }
    plan.lanes[lane].emplace_back(CopyRows{source, target, rows});
    plan.lanes[lane].emplace_back(SetReady{target, partition.flag(source, index)});
    lane = (lane + 1) % plan.lanes.size();
  }
}

GatherPlan empty_plan(int lanes) {
  GatherPlan plan;
  plan.lanes.resize(static_cast<std::size_t>(lanes));
  return plan;
}

}  // namespace

GatherPlan pull_plan(const RowPartition& partition, int rank, int lanes) {
  GatherPlan plan = empty_plan(lanes);
  plan.peers_read_own_rows = true;
  for (int distance = 1; distance < partition.ranks(); ++distance) {
    const int source = (rank + distance) % partition.ranks();
    add_chunks(plan, partition, source, rank);
    for (auto& lane : plan.lanes) {
      lane.emplace_back(TellDone{source});
    }
  }
  return plan;
}

GatherPlan push_plan(const RowPartition& partition, int rank, int lanes) {
  GatherPlan plan = empty_plan(lanes);
  for (int distance = 1; distance < partition.ranks(); ++distance) {
    const int target = (rank - distance + partition.ranks()) % partition.ranks();
    add_chunks(plan, partition, rank, target);
  }
  return plan;
}

}  // namespace contextual::kernels
