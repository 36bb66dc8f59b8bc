#include "contextual/tuning/meeting.hpp"

#include "contextual/tuning/choice_publisher.hpp"

#include <contextual/launch_registry.hpp>

namespace contextual::tuning {

agreement::Hello meet(agreement::Exchange& exchange, const std::string& region, std::uint32_t region_id,
                      const options::ResolvedOptions& options, agreement::Arrival arrival) {
  arrival.choice_failed = LaunchRegistry::instance().has_failed_choice(region_id);
  agreement::Hello hello = agreement::say_hello(exchange, region, options, arrival);
  if (hello.choice_failed) {
    forget_choices(region_id);
  }
  return hello;
}

void forget_failed_choices(std::uint32_t region_id) {
  if (LaunchRegistry::instance().has_failed_choice(region_id)) {
    forget_choices(region_id);
  }
}

}  // namespace contextual::tuning
