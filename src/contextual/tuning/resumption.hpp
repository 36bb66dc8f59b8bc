#pragma once

/// \file
/// What a tuning run takes over from one that was cut off: the batches that it need not measure, and the
/// assignments beside which the process has died.

#include "contextual/journal/batch_record.hpp"
#include "contextual/journal/strikes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Equal on all ranks, because rank 0 has told it to all. Not thread-safe.
class Resumption {
 public:
  /// There is nothing to take over.
  Resumption() = default;
  /// `told` is what RunJournal::told returned on rank 0, `heading` that of this run.
  Resumption(const std::string& told, const std::string& heading);

  /// Returns the heading of the run that is gone on with, else that of this run.
  const std::string& heading() const noexcept { return heading_; }

  /// Returns the name of rank 0's journal, or an empty text if it keeps none.
  const std::string& name() const noexcept { return name_; }

  /// Returns the batch that comes next, or null if the run is on its own. The pointer is valid until
  /// `advance`.
  const journal::BatchRecord* next() const noexcept {
    return at_ < batches_.size() ? &batches_[at_] : nullptr;
  }
  /// The run has taken in the next batch.
  void advance();
  /// The run does not come to the same batches. `why` says in what it differs.
  void leave(const std::string& why);

  std::size_t batch_count() const noexcept { return at_; }          ///< taken in so far
  std::int64_t iterations() const noexcept { return iterations_; }  ///< of these batches
  std::int64_t elapsed_ns() const noexcept { return elapsed_ns_; }  ///< by the clock of the run before
  const std::string& left() const noexcept { return left_; }        ///< why not all was taken in; else empty

  const journal::Strikes& strikes() const noexcept { return strikes_; }
  journal::Strikes& strikes() noexcept { return strikes_; }

 private:
  std::string name_;
  std::string heading_;
  std::vector<journal::BatchRecord> batches_;
  std::size_t at_ = 0;
  std::int64_t iterations_ = 0;
  std::int64_t elapsed_ns_ = 0;
  std::string left_;
  journal::Strikes strikes_;
};

}  // namespace contextual::tuning
