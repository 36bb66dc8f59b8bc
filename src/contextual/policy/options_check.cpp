#include "contextual/policy/options_check.hpp"

#include <contextual/error.hpp>

namespace contextual::policy {

void require(bool fine, const std::string& what) {
  if (!fine) {
    throw InvalidArgument(what);
  }
}

void require_at_least(const std::string& name, std::int64_t value, std::int64_t least) {
  require(value >= least, "option " + name + " = " + std::to_string(value) + ": it must be at least " +
                              std::to_string(least));
}

void require_count(const std::string& name, int value, int least) {
  require(value >= least && value <= largest_count, "option " + name + " = " + std::to_string(value) +
                                                        ": it must be at least " + std::to_string(least) +
                                                        " and at most " + std::to_string(largest_count));
}

void check_options(const PolicyOptions& options) {
  const auto require_fraction = [](const std::string& name, double value) {
    require(value >= 0 && value < 1,  // and not NaN
            "option " + name + " = " + std::to_string(value) + ": it is a fraction, at least 0 and below 1");
  };
  require_count("n_warmup", options.n_warmup, 1);  // a first use is never a sample
  require_count("n_repeat", options.n_repeat, 1);
  require_at_least("max_iterations", options.max_iterations, 1);
  require_count("absent_batches", options.absent_batches, 1);
  require_count("retake_limit", options.retake_limit, 0);
  require_at_least("search_settings.runs", options.search_runs, 0);
  require_at_least("search_settings.time (ms)", options.search_time.count(), 0);
  require_count("search_settings.closing_rounds", options.closing_rounds, 0);
  require_fraction("tie_margin", options.tie_margin);
}

}  // namespace contextual::policy
