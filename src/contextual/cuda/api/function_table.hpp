#pragma once

/// \file
/// A library that is loaded at run time as a table of functions that tests can replace.

#include "contextual/cuda/api/shared_library.hpp"

#include <contextual/cuda/error.hpp>

#include <atomic>
#include <string>
#include <utility>

namespace contextual::cuda {

/// A library's functions, or why there are none.
template <typename Table>
struct Loaded {
  Table table;
  std::string problem;

  /// Fills one member in. The first symbol that is missing is the problem.
  template <typename Function>
  void take(const SharedLibrary& library, const char* symbol, Function& member) {
    member = reinterpret_cast<Function>(library.symbol(symbol));
    if (member == nullptr && problem.empty()) {
      problem = std::string("the library has no ") + symbol + ": it is too old";
    }
  }
};

/// One a library: the table in force. Immortal, since it is used while the process exits.
template <typename Table>
class TableInForce {
 public:
  /// Loads by `load()` at the first use; thread-safe. Throws CudaUnavailable.
  template <typename Load>
  const Table& get(const Load& load) {
    if (const Table* table = table_.load(std::memory_order_acquire)) [[likely]] {
      return *table;
    }
    return first_use(load);
  }
  /// Gives back what was in force. Null: the library's own, which the next use looks up.
  const Table* replace(const Table* replacement) noexcept { return table_.exchange(replacement); }
  bool replaced() const noexcept {
    const Table* const table = table_.load();
    return table != nullptr && table != loaded_.load();
  }

 private:
  template <typename Load>
  [[gnu::noinline]] const Table& first_use(const Load& load) {
    const Loaded<Table>& loaded = load();
    if (!loaded.problem.empty()) {
      throw CudaUnavailable(loaded.problem);
    }
    loaded_.store(&loaded.table);
    const Table* none = nullptr;
    table_.compare_exchange_strong(none, &loaded.table);
    return loaded.table;
  }

  std::atomic<const Table*> table_{nullptr};   ///< null: not used yet
  std::atomic<const Table*> loaded_{nullptr};  ///< the library's own
};

}  // namespace contextual::cuda
