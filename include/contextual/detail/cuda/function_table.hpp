#pragma once

/// \file
/// A library that is loaded at run time, as a table of functions that tests can replace.

#include <contextual/cuda/error.hpp>
#include <contextual/detail/cuda/shared_library.hpp>

#include <atomic>
#include <string>
#include <utility>

namespace contextual::detail {

/// The functions of a library, or the reason why there are none.
template <typename Table>
struct Loaded {
  Table table;
  std::string problem;

  /// Sets one member. The first missing symbol is reported as the problem.
  template <typename Function>
  void take(const SharedLibrary& library, const char* symbol, Function& member) {
    take_if_there(library, symbol, member);
    if (member == nullptr && problem.empty()) {
      problem = std::string("the library has no ") + symbol + ": it is too old";
    }
  }
  /// Sets one member, which stays null if the symbol is missing.
  template <typename Function>
  void take_if_there(const SharedLibrary& library, const char* symbol, Function& member) {
    member = reinterpret_cast<Function>(library.symbol(symbol));
  }
};

/// The current table of a library. Never destroyed, since it is used while the process exits.
template <typename Table>
class TableInForce {
 public:
  /// Returns the table, which the first use loads by `load()`. Throws CudaUnavailable. Thread-safe.
  template <typename Load>
  const Table& get(const Load& load) {
    if (const Table* table = table_.load(std::memory_order_acquire)) [[likely]] {
      return *table;
    }
    return first_use(load);
  }
  /// Replaces the current table and returns the previous one. Null stands for the library's own table.
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

  std::atomic<const Table*> table_{nullptr};   ///< null before the first use
  std::atomic<const Table*> loaded_{nullptr};  ///< the library's own
};

}  // namespace contextual::detail
