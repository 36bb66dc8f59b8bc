#pragma once

/// \file
/// The configs locked in for one kernel name, by region, alternatives around the launch, and key.

#include <contextual/key.hpp>
#include <contextual/search.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace contextual::detail {

/// How final a locked-in choice is.
enum class ChoiceFinality : std::uint8_t {
  lasting,      ///< it was measured completely, and the final run accepted it
  provisional,  ///< it is used in its own region only, and the next launch there tunes it again
  kept,         ///< like `provisional`, but calls of functions and wrapped regions no longer tune it again
};

/// Readers take no lock and do not allocate; a lock serialises writers.
///
/// The table uses open addressing over pointers to entries, which live as long as the table. Growing
/// publishes a larger slot array and keeps the old one, because a reader may still use it. Sizes double, so
/// all arrays together are at most twice as large as the last one. Publishing an immutable snapshot for each
/// lock-in instead would take memory quadratic in the number of keys.
class LockInTable {
 public:
  static constexpr int none = -1;

  LockInTable();
  LockInTable(const LockInTable&) = delete;
  LockInTable& operator=(const LockInTable&) = delete;

  /// Returns the id of the config locked in, or `none`. Region 0 holds the last lasting lock-in of a key in
  /// any region. `scope` stands for the alternatives around the launch, see scope_of.
  int find(std::uint32_t region, const Key& key, std::uint64_t scope = 0) const noexcept {
    const Entry* entry = entry_of(region, scope, key);
    return entry == nullptr ? none : entry->config_id.load(std::memory_order_relaxed);
  }
  /// Returns the finality of what `find` returns; `lasting` if that is `none`.
  ChoiceFinality finality(std::uint32_t region, const Key& key, std::uint64_t scope = 0) const noexcept {
    const Entry* entry = entry_of(region, scope, key);
    return entry == nullptr ? ChoiceFinality::lasting : entry->finality.load(std::memory_order_relaxed);
  }

  /// Returns the region in which the last lasting lock-in of a key was chosen; 0 if there is none.
  std::uint32_t chosen_in(const Key& key, std::uint64_t scope) const noexcept {
    const Entry* entry = entry_of(0, scope, key);
    return entry == nullptr ? 0 : entry->chosen_in.load(std::memory_order_relaxed);
  }

  /// Returns the search that has found what `find` returns; `thorough` if that is `none`.
  SearchLevel searched_by(std::uint32_t region, const Key& key, std::uint64_t scope) const noexcept {
    const Entry* entry = entry_of(region, scope, key);
    return entry == nullptr ? SearchLevel::thorough : entry->searched_by.load(std::memory_order_relaxed);
  }

  /// Locks in `config_id` for the region. A lasting choice also becomes the key's last lock-in.
  void lock_in(std::uint32_t region, const Key& key, int config_id,
               ChoiceFinality finality = ChoiceFinality::lasting, std::uint64_t scope = 0,
               SearchLevel searched_by = SearchLevel::thorough);
  /// Makes the default provisional for all that is locked in for the region, also where it is a key's last
  /// lock-in.
  void forget(std::uint32_t region);

  /// So often a call tunes a choice again that is not a lasting one.
  static constexpr int most_attempts = 2;
  /// Counts one more run that has come to no lasting choice, and returns what its choice is now:
  /// `provisional` or, after most_attempts others, `kept`. Alike on all ranks, if what is counted is agreed.
  ChoiceFinality count_attempt(std::uint32_t region, const Key& key, std::uint64_t scope);

  /// Notes whether only this rank uses the region's choice for the key, and no other of the ranks that have
  /// tuned it.
  void note_used_here_only(std::uint32_t region, const Key& key, std::uint64_t scope, bool here_only);
  bool used_here_only(std::uint32_t region, const Key& key, std::uint64_t scope) const {
    return notes_of(region, key, scope).used_here_only;
  }

  /// A config that has failed to launch in this process after it was chosen. It is not chosen again.
  struct Failed {
    Key key;
    std::uint64_t scope;
    int config_id;
  };
  void note_failed(const Failed& failed, const std::string& reason);
  /// Returns why the config is ruled out; empty if it is not.
  std::string why_ruled_out(const Failed& asked) const;

  struct Refusal {
    bool first = false;  ///< no launch of the region has refused the config before
    bool open = false;   ///< what is locked in was chosen without knowing of it
  };
  /// Notes that `keep` does not allow the config for some launch of the key in the region. It is not chosen
  /// there again.
  Refusal note_refused(std::uint32_t region, const Key& key, std::uint64_t scope, int config_id);
  /// Returns the configs for which that was noted.
  std::set<int> refused(std::uint32_t region, const Key& key, std::uint64_t scope) const {
    return notes_of(region, key, scope).refused;
  }

 private:
  struct Entry {
    Entry(std::uint32_t in_region, std::uint64_t in_scope, const Key& of_key, int id,
          ChoiceFinality how_final, std::uint32_t by_region)
        : key(of_key),
          scope(in_scope),
          region(in_region),
          chosen_in(by_region),
          config_id(id),
          finality(how_final) {}
    Key key;
    std::uint64_t scope;
    std::uint32_t region;
    std::atomic<std::uint32_t> chosen_in;
    std::atomic<int> config_id;
    std::atomic<ChoiceFinality> finality;
    std::atomic<SearchLevel> searched_by{SearchLevel::thorough};
  };
  struct Slots {
    explicit Slots(std::size_t count) : mask(count - 1), at(count) {}
    std::size_t mask;
    std::vector<std::atomic<Entry*>> at;
  };

  const Entry* entry_of(std::uint32_t region, std::uint64_t scope, const Key& key) const noexcept {
    const Slots& slots = *slots_.load(std::memory_order_acquire);
    for (std::size_t i = slot_hash(region, scope, key);; ++i) {
      const Entry* entry = slots.at[i & slots.mask].load(std::memory_order_acquire);
      if (entry == nullptr) {
        return nullptr;
      }
      if (entry->region == region && entry->scope == scope && entry->key == key) {
        return entry;
      }
    }
  }

  static std::size_t slot_hash(std::uint32_t region, std::uint64_t scope, const Key& key) noexcept {
    return static_cast<std::size_t>(key.hash() ^ scope ^ (region * 0x9e3779b97f4a7c15ULL));
  }
  Entry& put(std::uint32_t region, std::uint64_t scope, const Key& key, int config_id,
             ChoiceFinality finality, std::uint32_t chosen_in);
  static void insert(Slots& slots, Entry& entry);
  void grow();

  struct Place {
    std::uint32_t region;
    std::uint64_t scope;
    Key key;
    bool operator==(const Place&) const = default;
  };
  /// What launches of a place have shown.
  struct Notes {
    bool used_here_only = false;
    int attempts = 0;
    std::set<int> refused;      ///< config ids
    bool refusal_open = false;  ///< see Refusal
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const noexcept {
      return slot_hash(place.region, place.scope, place.key);
    }
  };

  Notes notes_of(std::uint32_t region, const Key& key, std::uint64_t scope) const;

  mutable std::mutex mutex_;
  std::unordered_map<Place, Notes, PlaceHash> notes_;
  std::vector<std::pair<Failed, std::string>> ruled_out_;  ///< and why
  std::deque<Entry> entries_;
  std::vector<std::unique_ptr<Slots>> arrays_;
  std::atomic<const Slots*> slots_{nullptr};
};

}  // namespace contextual::detail
