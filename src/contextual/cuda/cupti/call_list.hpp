#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace contextual::cuda {

/// A driver call that was made inside a launch.
struct LaunchedCall {
  std::uint32_t correlation = 0;
  bool kernel = false;      ///< true if there must be a kernel's record of the call
  std::int64_t launch = 0;  ///< as given to `CuptiSession::set_launch`
  bool order = false;       ///< true if the call certainly keeps no device busy
};

/// Places of a CallList that one thread may fill.
struct ReservedPlaces {
  std::uint64_t batch = 0;  ///< unique among all lists of the process; 0 for none
  std::size_t next = 0;
  std::size_t end = 0;
};

/// A list of calls. Any thread adds to it without lock or allocation; one thread takes the calls between
/// batches.
///
/// A thread reserves several places at once. Otherwise each call would need an atomic addition, which waits
/// until the processor's earlier writes are complete, including those to the device that a launch has just
/// made.
class CallList {
 public:
  explicit CallList(std::size_t capacity) { make(capacity); }
  CallList(const CallList&) = delete;
  CallList& operator=(const CallList&) = delete;

  /// Adds a call. Beyond the capacity, the call is lost.
  void add(const LaunchedCall& call) noexcept {
    Table& table = *table_.load(std::memory_order_acquire);
    const std::uint64_t batch = table.batch.load(std::memory_order_acquire);
    ReservedPlaces& mine = reserved;
    if (mine.next == mine.end || mine.batch != batch) [[unlikely]] {
      const std::size_t first = table.asked.fetch_add(reserved_at_once, std::memory_order_relaxed);
      mine = {batch, first, first + reserved_at_once};
    }
    const std::size_t place = mine.next++;
    if (place < table.capacity) {
      const std::uint64_t kinds = (call.kernel ? kernel_bit : 0) | (call.order ? order_bit : 0);
      table.places[place].call.store((std::uint64_t{call.correlation} << kind_bits) | kinds,
                                     std::memory_order_relaxed);
      table.places[place].launch.store(call.launch, std::memory_order_release);
    }
  }

  /// Takes the calls that were added since the last `take`. Returns false if some were lost; from then on
  /// there is room for as many. Of a launch that is under way meanwhile, it may take only some calls.
  bool take(std::vector<LaunchedCall>& calls) {
    Table& table = *table_.load(std::memory_order_relaxed);
    // In this order, so that a thread that sees the new batch reserves places in it.
    const std::size_t asked = table.asked.exchange(0, std::memory_order_acq_rel);
    table.batch.store(next_batch(), std::memory_order_release);  // invalidates places that threads reserved
    calls.clear();
    for (std::size_t i = 0; i < asked && i < table.capacity; ++i) {
      const std::int64_t launch = table.places[i].launch.exchange(empty, std::memory_order_acquire);
      const std::uint64_t call = table.places[i].call.load(std::memory_order_relaxed);
      if (launch != empty) {
        calls.push_back({static_cast<std::uint32_t>(call >> kind_bits), (call & kernel_bit) != 0, launch,
                         (call & order_bit) != 0});
      }
    }
    if (asked > table.capacity) {
      make(2 * asked);
      return false;
    }
    return true;
  }

 private:
  static constexpr std::int64_t empty = -1;
  static constexpr std::size_t reserved_at_once = 32;
  static constexpr std::uint64_t kernel_bit = 1;
  static constexpr std::uint64_t order_bit = 2;
  static constexpr unsigned kind_bits = 2;

  struct Place {
    std::atomic<std::uint64_t> call{0};
    std::atomic<std::int64_t> launch{empty};
  };
  struct Table {
    explicit Table(std::size_t count) : capacity(count), places(std::make_unique<Place[]>(count)) {}
    const std::size_t capacity;
    const std::unique_ptr<Place[]> places;
    std::atomic<std::uint64_t> batch{next_batch()};
    std::atomic<std::size_t> asked{0};
  };
  static std::uint64_t next_batch() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  // See launch_of_thread in cupti_session.cpp.
  static inline constinit thread_local ReservedPlaces reserved __attribute__((tls_model("initial-exec")));

  void make(std::size_t capacity) {
    tables_.push_back(std::make_unique<Table>(capacity));
    table_.store(tables_.back().get(), std::memory_order_release);
  }

  std::vector<std::unique_ptr<Table>>
      tables_;  ///< outgrown tables stay, because a thread may still add to one
  std::atomic<Table*> table_{nullptr};
};

}  // namespace contextual::cuda
