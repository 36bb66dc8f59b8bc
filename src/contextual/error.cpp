#include <contextual/error.hpp>

#include <set>
#include <utility>

namespace contextual {

namespace {

/// The text, of which every line but the first stands below the one that it continues.
std::string indented(const std::string& text) {
  std::string lines;
  for (const char c : text) {
    lines += c;
    lines += c == '\n' ? "    " : "";
  }
  return lines;
}

/// How many configs the reasons are about: each rank may have one of its own.
std::string rejected_text(const std::vector<Rejection>& rejections) {
  std::set<std::size_t> configs;
  for (const Rejection& rejection : rejections) {
    configs.insert(rejection.config_id);
  }
  return configs.size() == 1 ? "the only one was rejected"
                             : "all " + std::to_string(configs.size()) + " were rejected";
}

std::string tuning_failed_text(const std::string& region, const std::string& kernel, const std::string& key,
                               const std::vector<Rejection>& rejections) {
  std::string text = "region \"" + region + "\", kernel \"" + kernel + "\", key " + key +
                     ": no config is left, " + rejected_text(rejections);
  for (const Rejection& rejection : rejections) {
    text += "\n  config-" + std::to_string(rejection.config_id) + " " + rejection.config + ": " +
            indented(rejection.reason);
  }
  return text +
         "\nAdd a config that can be launched for this key to the kernel's config space, or remove the "
         "cause.";
}

std::string infeasible_text(const std::string& region, const std::string& cause,
                            const std::vector<InfeasibleAssignment>& infeasible) {
  std::string text = "region \"" + region + "\": " + cause;
  for (const InfeasibleAssignment& assignment : infeasible) {
    text += "\n  " + assignment.configs + ": " + indented(assignment.reason);
  }
  return text +
         "\nAdd configs that can run together, for example a kernel that leaves processors to the others, or "
         "remove the cause.";
}

std::string region_failed_text(const std::string& region, int failed_rank, const std::string& cause,
                               std::optional<std::int64_t> tuning_iteration) {
  const std::string when = tuning_iteration
                               ? "in tuning iteration " + std::to_string(*tuning_iteration)
                               : std::string("in its set-up, before the first run of the region");
  return "region \"" + region + "\" failed on rank " + std::to_string(failed_rank) + " " + when + ": " +
         cause +
         "\nThat rank rethrows its own exception; what was locked in before stays, and the next run may "
         "succeed.";
}

std::string with_missing_ranks(const std::string& cause, const std::vector<int>& missing_ranks) {
  if (missing_ranks.empty()) {
    return cause;
  }
  std::string text = cause + (missing_ranks.size() == 1 ? " (missing: rank " : " (missing: ranks ");
  for (std::size_t i = 0; i < missing_ranks.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(missing_ranks[i]);
  }
  return text + ")";
}

}  // namespace

TuningFailedError::TuningFailedError(std::string region, std::string kernel, std::string key,
                                     std::vector<Rejection> rejections, std::vector<int> failed_ranks)
    : Error(tuning_failed_text(region, kernel, key, rejections)),
      region_(std::move(region)),
      kernel_(std::move(kernel)),
      key_(std::move(key)),
      rejections_(std::move(rejections)),
      failed_ranks_(std::move(failed_ranks)) {}

TuningFailedError::TuningFailedError(std::string region, const std::string& cause,
                                     std::vector<InfeasibleAssignment> infeasible)
    : Error(infeasible_text(region, cause, infeasible)),
      region_(std::move(region)),
      infeasible_(std::move(infeasible)) {}

RegionFailedError::RegionFailedError(std::string region, int failed_rank, std::string cause,
                                     std::optional<std::int64_t> tuning_iteration)
    : Error(region_failed_text(region, failed_rank, cause, tuning_iteration)),
      failed_rank_(failed_rank),
      cause_(std::move(cause)),
      tuning_iteration_(tuning_iteration) {}

CommunicationError::CommunicationError(const std::string& cause, std::vector<int> missing_ranks)
    : Error(with_missing_ranks(cause, missing_ranks)),
      cause_(cause),
      missing_ranks_(std::move(missing_ranks)) {}

}  // namespace contextual
