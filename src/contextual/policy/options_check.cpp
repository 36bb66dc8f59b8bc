#include "contextual/policy/options_check.hpp"

#include <contextual/error.hpp>

#include <cstdint>
#include <string>

namespace contextual::policy {
namespace {

void require(bool fine, const std::string& what) {
  if (!fine) {
    throw InvalidArgument(what);
  }
}

}  // namespace

void check_options(const PolicyOptions& options) {
  const auto at_least = [](std::int64_t value, std::int64_t least, const std::string& name) {
    require(value >= least, "option " + name + " is " + std::to_string(value) + "; it must be at least " +
                                std::to_string(least));
  };
  at_least(options.n_warmup, 1, "n_warmup");
  at_least(options.n_repeat, 1, "n_repeat");
  at_least(options.settle_every, 0, "settle_every");
  at_least(options.max_iterations, 1, "max_iterations");
  at_least(options.absent_batches, 1, "absent_batches");
  at_least(options.retake_limit, 0, "retake_limit");
  at_least(options.finals_candidates, 0, "finals_candidates");
  at_least(options.finals_repeat, 1, "finals_repeat");
  at_least(options.finals_passes, 0, "finals_passes");
  require(options.tie_margin >= 0, "option tie_margin is negative or not a number; it must be at least 0");
  require(options.finals_min_gain >= 0,
          "option finals_min_gain is negative or not a number; it must be at least 0");
}

}  // namespace contextual::policy
