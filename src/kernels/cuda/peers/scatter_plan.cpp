#include "kernels/cuda/peers/scatter_plan.hpp"

#include <cstddef>

namespace contextual::kernels {
namespace {

enum class Delivery { sent, offered };

ScatterPlan make_plan(const RowPartition& partition, int rank, int lanes, Delivery delivery) {
  ScatterPlan plan;
  plan.lanes.resize(static_cast<std::size_t>(lanes));
  plan.owner_reads_partials = delivery == Delivery::offered;
  std::size_t lane = 0;
  for (const int owner : scatter_order(rank, partition.ranks())) {
    for (int index = 0; index < partition.chunks(); ++index) {
      const Rows rows = partition.chunk(owner, index);
      if (rows.empty()) {
        continue;
      }
      auto& steps = plan.lanes[lane];
      steps.emplace_back(AwaitChunk{owner, index});
      if (delivery == Delivery::sent && owner != rank) {
        steps.emplace_back(SendPartial{owner, rows});
      }
      steps.emplace_back(OfferChunk{owner, index});
      lane = (lane + 1) % plan.lanes.size();
    }
  }
  return plan;
}

}  // namespace

std::vector<int> scatter_order(int rank, int ranks) {
  std::vector<int> order;
  order.reserve(static_cast<std::size_t>(ranks));
  for (int distance = 1; distance <= ranks; ++distance) {
    order.push_back((rank + distance) % ranks);
  }
  return order;
}

ScatterPlan send_plan(const RowPartition& partition, int rank, int lanes) {
  return make_plan(partition, rank, lanes, Delivery::sent);
}

ScatterPlan offer_plan(const RowPartition& partition, int rank, int lanes) {
  return make_plan(partition, rank, lanes, Delivery::offered);
}

}  // namespace contextual::kernels
