#pragma once

#include <contextual/do_bench.hpp>

#include <chrono>
#include <cstddef>

namespace contextual::measure {

/// How often a function is to be run: counts down runs, or the time that they take. Pure.
class RunAmount {
 public:
  static constexpr std::size_t most = 10'000;  ///< of a duration: the samples are kept

  /// The runs must live as long.
  explicit RunAmount(const BenchRuns& runs) : runs_(runs) {}

  /// Counts the runs of a batch that were no loss, and all of its time.
  void count(std::size_t runs, std::chrono::nanoseconds wall);
  std::size_t done() const noexcept { return done_; }
  /// Returns the number of runs that are missing, if each of them takes so long, which must be above 0. Of a
  /// duration that is over nothing is missing but the first run.
  std::size_t left(std::chrono::nanoseconds each) const;

 private:
  const BenchRuns& runs_;
  std::size_t done_ = 0;
  std::chrono::nanoseconds spent_{0};
};

}  // namespace contextual::measure
