#include "contextual/agreement/kept_choices.hpp"

#include "contextual/agreement/details_text.hpp"

#include <contextual/error.hpp>

#include <cstdint>

namespace contextual::agreement {

std::vector<bool> agree_on_kept_choices(Exchange& exchange, const std::string& region,
                                        const std::vector<bool>& usable) {
  Header header;
  header.set(Field::stage, text_digest(to_string(Stage::kept_choices)));
  header.set(Field::region, text_digest(region));
  header.set(Field::plan, usable.size());
  exchange.set_place({.region = region, .stage = Stage::kept_choices});
  const Agreement agreement = exchange.agree(header);
  if (agreement.elsewhere() || agreement.differs(Field::region) || agreement.differs(Field::plan)) {
    throw RankMismatchError("region \"" + region +
                            "\", whose choices were kept: ranks are in different regions or at different "
                            "points of one: call `run` with the same regions in the same order on all ranks");
  }
  std::vector<std::int64_t> refused;
  for (const bool mine : usable) {
    refused.push_back(mine ? 0 : 1);
  }
  exchange.max(refused);
  std::vector<bool> usable_everywhere;
  for (const std::int64_t word : refused) {
    usable_everywhere.push_back(word == 0);
  }
  return usable_everywhere;
}

}  // namespace contextual::agreement
