#include "contextual/agreement/plain_run_agreement.hpp"

#include "contextual/agreement/details_text.hpp"

#include <contextual/error.hpp>

namespace contextual::agreement {

bool agree_on_plain_run(Exchange& exchange, const std::string& region, const PlainOutcome& outcome) {
  Header header;
  header.set(Field::stage, text_digest(to_string(Stage::plain_run)));
  header.set(Field::region, text_digest(region));
  header.raise(Flag::region_threw, outcome.failure.thrown != nullptr);
  header.raise(Flag::something_new, outcome.something_new);
  exchange.set_place({.region = region, .stage = Stage::plain_run});
  const Agreement agreement = exchange.agree(header);
  if (agreement.elsewhere() || agreement.differs(Field::region)) {
    throw RankMismatchError(
        "region \"" + region +
        "\", a run with nothing to tune: ranks are in different regions or at different points "
        "of one: call `run` with the same regions in the same order on all ranks");
  }
  if (agreement.raised(Flag::region_threw)) {
    throw_agreed_failure(exchange, region, outcome.failure);
  }
  return agreement.raised(Flag::something_new);
}

}  // namespace contextual::agreement
