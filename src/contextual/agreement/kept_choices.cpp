#include "contextual/agreement/kept_choices.hpp"

#include <algorithm>
#include <cstdint>

namespace contextual::agreement {

std::vector<bool> agree_on_kept_choices(Exchange& exchange, const std::string& region,
                                        const KeptOutcome& outcome) {
  Header header;
  header.set(Field::plan, outcome.usable.size());
  agree_in_region(exchange, header, Stage::kept_choices, region, "whose choices are kept", outcome.failure);
  std::vector<std::int64_t> refused(outcome.usable.size());
  std::transform(outcome.usable.begin(), outcome.usable.end(), refused.begin(),
                 [](bool mine) { return mine ? 0 : 1; });
  exchange.max(refused);
  std::vector<bool> usable(refused.size());
  std::transform(refused.begin(), refused.end(), usable.begin(), [](std::int64_t word) { return word == 0; });
  return usable;
}

}  // namespace contextual::agreement
