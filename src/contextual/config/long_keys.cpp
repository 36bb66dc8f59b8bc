#include "contextual/config/long_keys.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

namespace contextual::detail {
namespace {

/// An open-addressed table whose entries are never changed nor removed. Its empty slots cost address space,
/// but no memory. Without a constructor or destructor, it serves static objects at any time.
constexpr std::size_t slot_count = std::size_t{1} << 17U;
/// A key is kept in one of this many slots, or not at all. So a look-up ends soon, also in a full table.
constexpr std::size_t most_probes = 16;
constinit std::array<std::atomic<const LongKey*>, slot_count> slots{};

std::atomic<const LongKey*>& slot_of(const Key& digest, std::size_t probe) noexcept {
  return slots[(static_cast<std::size_t>(digest.word(0)) + probe) % slot_count];
}

}  // namespace

const LongKey* find_long_key(const Key& digest) noexcept {
  for (std::size_t probe = 0; probe < most_probes; ++probe) {
    const LongKey* const found = slot_of(digest, probe).load(std::memory_order_acquire);
    if (found == nullptr || found->digest == digest) {
      return found;
    }
  }
  return nullptr;
}

bool key_parts_kept(const Key& digest) noexcept {
  for (std::size_t probe = 0; probe < most_probes; ++probe) {
    const LongKey* const found = slot_of(digest, probe).load(std::memory_order_acquire);
    if (found == nullptr || found->digest == digest) {
      return found != nullptr;
    }
  }
  return true;  // there is no room
}

void keep_key_parts(const Key& digest, const Key& before, const KeyWords& words) {
  auto kept = std::make_unique<const LongKey>(LongKey{digest, before, words});
  for (std::size_t probe = 0; probe < most_probes; ++probe) {
    const LongKey* there = nullptr;
    if (slot_of(digest, probe).compare_exchange_strong(there, kept.get(), std::memory_order_acq_rel)) {
      static_cast<void>(kept.release());  // lives as long as the process
      return;
    }
    if (there->digest == digest) {
      return;
    }
  }
}

KeyWords all_words(const Key& key) {
  std::vector<const LongKey*> appended;
  Key first = key;
  while (first.is_digest()) {
    const LongKey* const parts = find_long_key(first);
    if (parts == nullptr) {
      break;
    }
    appended.push_back(parts);
    first = parts->before;
  }
  KeyWords words;
  for (std::size_t i = 0; i < first.size(); ++i) {
    words.append_word(first.type(i), first.word(i));
  }
  std::reverse(appended.begin(), appended.end());  // the last came first
  for (const LongKey* const parts : appended) {
    for (const KeyWords::Word& word : parts->words.words()) {
      words.append_word(word.type, word.word);
    }
  }
  return words;
}

}  // namespace contextual::detail
