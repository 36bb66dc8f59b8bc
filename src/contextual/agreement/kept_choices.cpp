#include "contextual/agreement/kept_choices.hpp"

#include "contextual/agreement/details_text.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <cstdint>

namespace contextual::agreement {
namespace {

Agreement agree(Exchange& exchange, const std::string& region, std::size_t count, bool failed) {
  Header header;
  header.set(Field::stage, text_digest(to_string(Stage::kept_choices)));
  header.set(Field::region, text_digest(region));
  header.set(Field::plan, count);
  header.raise(Flag::region_threw, failed);
  exchange.set_place({.region = region, .stage = Stage::kept_choices});
  const Agreement agreement = exchange.agree(header);
  if (agreement.elsewhere() || agreement.differs(Field::region) || agreement.differs(Field::plan)) {
    throw RankMismatchError("region \"" + region +
                            "\", whose choices are kept: ranks are in different regions or at different "
                            "points of one: call `run` with the same regions in the same order on all ranks");
  }
  return agreement;
}

}  // namespace

std::vector<bool> agree_on_kept_choices(Exchange& exchange, const std::string& region,
                                        const KeptOutcome& outcome) {
  const bool failed = outcome.failure.thrown != nullptr;
  if (agree(exchange, region, outcome.usable.size(), failed).raised(Flag::region_threw)) {
    throw_agreed_failure(exchange, region, outcome.failure);
  }
  std::vector<std::int64_t> refused;
  for (const bool mine : outcome.usable) {
    refused.push_back(mine ? 0 : 1);
  }
  exchange.max(refused);
  std::vector<bool> usable(refused.size());
  std::transform(refused.begin(), refused.end(), usable.begin(), [](std::int64_t word) { return word == 0; });
  return usable;
}

}  // namespace contextual::agreement
