#include "contextual/agreement/part_time.hpp"

#include "contextual/agreement/agreed_word.hpp"

namespace contextual::agreement {

AgreedPart agree_on_part(Exchange& exchange, const std::string& region, const PartOutcome& outcome) {
  Header header;
  header.set(Field::plan, outcome.turn);
  header.raise(Flag::no_head_start, outcome.no_head_start);
  header.offer(agreed_word::of(outcome.makespan_ns));
  const Agreement agreement = agree_in_region(exchange, header, Stage::part, region,
                                              "which is timed beside its parts", outcome.failure);
  return {agreed_word::time(agreement.largest_offer()), agreement.raised(Flag::no_head_start)};
}

}  // namespace contextual::agreement
