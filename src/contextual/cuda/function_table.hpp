#pragma once

/// \file
/// A library that is loaded at run time as a table of functions that tests can replace.

#include "contextual/cuda/shared_library.hpp"

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
    if (const Table* replacement = replacement_.load(std::memory_order_acquire)) {
      return *replacement;
    }
    const Loaded<Table>& loaded = load();
    if (!loaded.problem.empty()) [[unlikely]] {
      throw CudaUnavailable(loaded.problem);
    }
    return loaded.table;
  }
  const Table* replace(const Table* replacement) noexcept { return replacement_.exchange(replacement); }
  bool replaced() const noexcept { return replacement_.load() != nullptr; }

 private:
  std::atomic<const Table*> replacement_{nullptr};
};

}  // namespace contextual::cuda
