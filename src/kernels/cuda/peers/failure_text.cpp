#include "kernels/cuda/peers/failure_text.hpp"

#include "kernels/cuda/peers/peer_control.hpp"

namespace contextual::kernels::cuda {
namespace {

std::string within(std::chrono::nanoseconds budget) {
  std::string text = std::to_string(std::chrono::duration<double>(budget).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return " within " + text + " s of the call's first wait";
}

}  // namespace

std::string failure_text(unsigned failure, std::chrono::nanoseconds budget) {
  const auto from = [failure](unsigned first) {
    return failure >= first && failure < first + PeerControl::most_ranks
               ? "rank " + std::to_string(failure - first)
               : std::string();
  };
  if (failure == PeerFailure::none) {
    return {};
  }
  if (failure == PeerFailure::aborted) {
    return "the host ended the wait for the other ranks";
  }
  if (const std::string rank = from(PeerFailure::not_arrived); !rank.empty()) {
    return rank + " did not come to the call" + within(budget);
  }
  if (const std::string rank = from(PeerFailure::rows_missing); !rank.empty()) {
    return "rows of " + rank + " did not arrive" + within(budget);
  }
  if (const std::string rank = from(PeerFailure::not_done); !rank.empty()) {
    return rank + " did not fetch this rank's rows" + within(budget);
  }
  if (const std::string rank = from(PeerFailure::part_missing); !rank.empty()) {
    return "partial sums of " + rank + " did not arrive" + within(budget);
  }
  if (const std::string rank = from(PeerFailure::told_by); !rank.empty()) {
    return rank + " said that its call has failed";
  }
  return "an unknown failure, " + std::to_string(failure);
}

}  // namespace contextual::kernels::cuda
