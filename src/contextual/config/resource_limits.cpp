#include <contextual/resource_limits.hpp>

namespace contextual {
namespace {

template <typename Number>
bool within(Number need, const std::optional<Number>& limit) {
  return !limit || need <= *limit;
}

}  // namespace

bool fits(const ResourceNeeds& needs, const ResourceLimits& limits) {
  const std::int64_t registers = std::int64_t{needs.registers_per_thread} * needs.threads;
  return within(needs.shared_bytes, limits.shared_bytes) && within(needs.threads, limits.threads) &&
         within(needs.registers_per_thread, limits.registers_per_thread) &&
         (!limits.registers || registers <= *limits.registers);
}

std::vector<Config> filter_valid_configs(const std::vector<Config>& configs, const ResourceLimits& limits,
                                         const std::function<ResourceNeeds(const Config&)>& needs) {
  std::vector<Config> valid;
  for (const Config& config : configs) {
    if (fits(needs(config), limits)) {
      valid.push_back(config);
    }
  }
  return valid;
}

}  // namespace contextual
