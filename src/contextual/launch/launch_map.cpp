#include "contextual/launch/launch_map.hpp"

#include <algorithm>
#include <utility>

namespace contextual::detail {

void LaunchMap::add(const KernelCore& core, ProblemSlot& slot) {
  if ((count_ + 1) * 2 > places_.size()) {
    const std::vector<Place> smaller = std::exchange(places_, std::vector<Place>(places_.size() * 2));
    for (const Place& place : smaller) {
      if (place.slot != nullptr) {
        put(place);
      }
    }
  }
  put({&core, &slot});
  ++count_;
}

void LaunchMap::add(const LaunchMap& other) {
  for (const Place& place : other.places_) {
    if (place.slot != nullptr) {
      add(*place.core, *place.slot);
    }
  }
}

void LaunchMap::put(const Place& place) {
  const Problem& problem = place.slot->problem;
  std::size_t i = place_hash(*place.core, problem.key, problem.scope);
  while (places_[i & (places_.size() - 1)].slot != nullptr) {
    ++i;
  }
  places_[i & (places_.size() - 1)] = place;
}

void LaunchMap::clear() {
  places_.assign(smallest_capacity, Place{});
  count_ = 0;
}

std::size_t LaunchMap::longest_probe() const noexcept {
  std::size_t longest = 0;
  const std::size_t mask = places_.size() - 1;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].slot != nullptr) {
      const Problem& problem = places_[i].slot->problem;
      const std::size_t home = place_hash(*places_[i].core, problem.key, problem.scope);
      longest = std::max(longest, ((i - home) & mask) + 1);
    }
  }
  return longest;
}

}  // namespace contextual::detail
