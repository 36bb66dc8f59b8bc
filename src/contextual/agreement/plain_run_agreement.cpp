#include "contextual/agreement/plain_run_agreement.hpp"

namespace contextual::agreement {

bool agree_on_plain_run(Exchange& exchange, const std::string& region, const PlainOutcome& outcome) {
  Header header;
  header.raise(Flag::something_new, outcome.something_new);
  return agree_in_region(exchange, header, Stage::plain_run, region, "a run with nothing to tune",
                         outcome.failure)
      .raised(Flag::something_new);
}

}  // namespace contextual::agreement
