#include "contextual/agreement/part_time.hpp"

#include "contextual/agreement/agreed_word.hpp"
#include "contextual/agreement/details_text.hpp"

#include <contextual/error.hpp>

namespace contextual::agreement {

AgreedPart agree_on_part(Exchange& exchange, const std::string& region, const PartOutcome& outcome) {
  Header header;
  header.set(Field::stage, text_digest(to_string(Stage::part)));
  header.set(Field::region, text_digest(region));
  header.set(Field::plan, outcome.turn);
  header.raise(Flag::region_threw, outcome.failure.thrown != nullptr);
  header.raise(Flag::no_head_start, outcome.no_head_start);
  header.offer(agreed_word::of(outcome.makespan_ns));
  exchange.set_place({.region = region, .stage = Stage::part});
  const Agreement agreement = exchange.agree(header);
  if (agreement.elsewhere() || agreement.differs(Field::region) || agreement.differs(Field::plan)) {
    throw RankMismatchError("region \"" + region +
                            "\", which is timed beside its parts: ranks are in different regions or at "
                            "different points of one: call `run` with the same regions in the same order on "
                            "all ranks");
  }
  if (agreement.raised(Flag::region_threw)) {
    throw_agreed_failure(exchange, region, outcome.failure);
  }
  return {agreed_word::time(agreement.largest_offer()), agreement.raised(Flag::no_head_start)};
}

}  // namespace contextual::agreement
