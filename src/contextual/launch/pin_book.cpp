#include "contextual/launch/pin_book.hpp"

#include <contextual/detail/launch/kernel_core.hpp>

#include <pthread.h>

#include <utility>

namespace contextual::detail {
namespace {

constexpr std::uint32_t no_region = 0;

}  // namespace

PinBook::PinBook() {
  // As in LaunchRegistry, which makes the book first: it locks the book while it is locked itself.
  pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                 [] { instance().mutex_.unlock(); });
}

PinBook& PinBook::instance() {
  static auto* const book = new PinBook;  // outlives static kernels
  return *book;
}

void PinBook::replace(std::uint32_t region_id, const std::vector<Pin>& pins) {
  const std::lock_guard lock(mutex_);
  std::map<std::string, KernelPins::ByRegion> changed;
  for (const auto& [name, known] : latest_) {
    KernelPins::ByRegion& by_region = changed.emplace(name, known->by_region()).first->second;
    if (by_region.erase(region_id) > 0) {
      by_region.erase(no_region);
    }
  }
  for (const Pin& pin : pins) {
    changed[pin.kernel][region_id].push_back(pin);
  }
  for (auto& [name, by_region] : changed) {
    if (const auto now = by_region.find(region_id); now != by_region.end()) {
      by_region[no_region] = now->second;
    }
    const KernelPins*& known = latest_[name];
    if (known == nullptr || known->by_region() != by_region) {
      known = &all_.emplace_back(std::move(by_region), known);
    }
  }
}

const KernelPins* PinBook::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = latest_.find(name);
  return found == latest_.end() ? nullptr : found->second;
}

const KernelPins* PinBook::of(const KernelCore& core) const {
  const KernelTraits& traits = core.traits();
  return find(traits.coupling.empty() ? traits.name : traits.coupling);
}

std::string PinBook::file_for(std::uint32_t region_id, const Problem& problem) const {
  const KernelPins* const pins = find(problem.name);
  const Pin* const pin =
      pins == nullptr ? nullptr : pins->find(region_id, problem.key, problem.key_text, problem.scope);
  return pin == nullptr ? std::string() : pin->file;
}

std::vector<Pin> PinBook::in_region(std::uint32_t region_id) const {
  const std::lock_guard lock(mutex_);
  std::vector<Pin> all;
  for (const auto& [name, pins] : latest_) {
    if (const auto found = pins->by_region().find(region_id); found != pins->by_region().end()) {
      all.insert(all.end(), found->second.begin(), found->second.end());
    }
  }
  return all;
}

std::vector<Pin> PinBook::take_unused(std::uint32_t region_id) const {
  const std::lock_guard lock(mutex_);
  std::vector<Pin> unused;
  for (const auto& [name, pins] : latest_) {
    const std::vector<Pin> of_name = pins->take_unused(region_id);
    unused.insert(unused.end(), of_name.begin(), of_name.end());
  }
  return unused;
}

}  // namespace contextual::detail
