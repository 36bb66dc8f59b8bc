#pragma once

/// \file
/// The begin of a tuning run: each rank sets up its part, then all ranks meet.

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace contextual::tuning {

/// Sets up a run and its recorder. Keeps an error until the ranks meet, so that all of them learn of it.
class TuningSetup {
 public:
  TuningSetup(const std::string& region, std::uint32_t region_id, const options::ResolvedOptions& options,
              const Origin& origin, agreement::Exchange& exchange);

  /// Collective. Throws the error of this rank's set-up, or what agreement::say_hello throws, after it has
  /// written the end of the run to the log.
  void meet();

  // Valid after `meet` has returned.
  record::Recorder& recorder() { return *recorder_; }
  std::unique_ptr<TuningRun> take_run() { return std::move(run_); }

 private:
  std::string region_;
  const options::ResolvedOptions& options_;
  agreement::Exchange& exchange_;
  std::optional<record::Recorder> recorder_;
  std::unique_ptr<TuningRun> run_;
  std::exception_ptr failure_;
};

}  // namespace contextual::tuning
