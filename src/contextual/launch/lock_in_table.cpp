#include <contextual/detail/launch/lock_in_table.hpp>

#include <algorithm>

namespace contextual::detail {
namespace {

constexpr std::size_t initial_slot_count = 16;
constexpr std::uint32_t any_region = 0;

}  // namespace

LockInTable::LockInTable() {
  arrays_.push_back(std::make_unique<Slots>(initial_slot_count));
  slots_.store(arrays_.back().get(), std::memory_order_release);
}

void LockInTable::lock_in(std::uint32_t region, const Key& key, int config_id, ChoiceFinality finality,
                          std::uint64_t scope, SearchLevel searched_by) {
  const std::lock_guard lock(mutex_);
  if (const auto notes = notes_.find({region, scope, key}); notes != notes_.end()) {
    notes->second.used_here_only = false;  // until the ranks agree on it anew
    notes->second.refusal_open = false;
  }
  put(region, scope, key, config_id, finality, region)
      .searched_by.store(searched_by, std::memory_order_relaxed);
  if (finality == ChoiceFinality::lasting) {
    put(any_region, scope, key, config_id, finality, region);
  }
}

void LockInTable::forget(std::uint32_t region) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.chosen_in.load(std::memory_order_relaxed) == region) {
      entry.config_id.store(0, std::memory_order_relaxed);
      entry.finality.store(ChoiceFinality::provisional, std::memory_order_relaxed);
    }
  }
}

ChoiceFinality LockInTable::count_attempt(std::uint32_t region, const Key& key, std::uint64_t scope) {
  const std::lock_guard lock(mutex_);
  return ++notes_[{region, scope, key}].attempts > most_attempts ? ChoiceFinality::kept
                                                                 : ChoiceFinality::provisional;
}

void LockInTable::note_used_here_only(std::uint32_t region, const Key& key, std::uint64_t scope,
                                      bool here_only) {
  const std::lock_guard lock(mutex_);
  notes_[{region, scope, key}].used_here_only = here_only;
}

LockInTable::Notes LockInTable::notes_of(std::uint32_t region, const Key& key, std::uint64_t scope) const {
  const std::lock_guard lock(mutex_);
  const auto found = notes_.find({region, scope, key});
  return found == notes_.end() ? Notes() : found->second;
}

void LockInTable::note_failed(const Failed& failed, const std::string& reason) {
  if (why_ruled_out(failed).empty()) {
    const std::lock_guard lock(mutex_);
    ruled_out_.emplace_back(failed, "it failed to launch: " + reason);
  }
}

std::string LockInTable::why_ruled_out(const Failed& asked) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(ruled_out_.begin(), ruled_out_.end(), [&](const auto& known) {
    const Failed& failed = known.first;
    return failed.config_id == asked.config_id && failed.scope == asked.scope && failed.key == asked.key;
  });
  return found == ruled_out_.end() ? std::string() : found->second;
}

/// Only the default may be chosen though it is refused: where nothing else is left.
LockInTable::Refusal LockInTable::note_refused(std::uint32_t region, const Key& key, std::uint64_t scope,
                                               int config_id) {
  const std::lock_guard lock(mutex_);
  Notes& notes = notes_[{region, scope, key}];
  const bool first = notes.refused.insert(config_id).second;
  notes.refusal_open = notes.refusal_open || first || config_id != 0;
  return {first, notes.refusal_open};
}

LockInTable::Entry& LockInTable::put(std::uint32_t region, std::uint64_t scope, const Key& key, int config_id,
                                     ChoiceFinality finality, std::uint32_t chosen_in) {
  Slots& slots = *arrays_.back();
  for (std::size_t i = slot_hash(region, scope, key);; ++i) {
    Entry* entry = slots.at[i & slots.mask].load(std::memory_order_relaxed);
    if (entry == nullptr) {
      break;
    }
    if (entry->region == region && entry->scope == scope && entry->key == key) {
      entry->config_id.store(config_id, std::memory_order_relaxed);
      entry->finality.store(finality, std::memory_order_relaxed);
      entry->chosen_in.store(chosen_in, std::memory_order_relaxed);
      return *entry;
    }
  }
  // Half full at most: probes stay short, and a look-up always meets an empty slot.
  if ((entries_.size() + 1) * 2 > arrays_.back()->at.size()) {
    grow();
  }
  Entry& added = entries_.emplace_back(region, scope, key, config_id, finality, chosen_in);
  insert(*arrays_.back(), added);
  return added;
}

void LockInTable::insert(Slots& slots, Entry& entry) {
  std::size_t i = slot_hash(entry.region, entry.scope, entry.key);
  while (slots.at[i & slots.mask].load(std::memory_order_relaxed) != nullptr) {
    ++i;
  }
  slots.at[i & slots.mask].store(&entry, std::memory_order_release);
}

void LockInTable::grow() {
  auto larger = std::make_unique<Slots>(arrays_.back()->at.size() * 2);
  for (Entry& entry : entries_) {
    insert(*larger, entry);
  }
  arrays_.push_back(std::move(larger));
  slots_.store(arrays_.back().get(), std::memory_order_release);
}

}  // namespace contextual::detail
