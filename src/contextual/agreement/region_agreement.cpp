#include "contextual/agreement/region_agreement.hpp"

#include "contextual/agreement/agreed_word.hpp"
#include "contextual/agreement/details_text.hpp"

#include <contextual/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace contextual::agreement {

namespace {

bool is_of_device(const std::exception_ptr& thrown) {
  try {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  } catch (const DeviceError&) {
    return true;
  } catch (...) {
    return false;
  }
  return false;
}

FailedBy failed_by(const std::vector<std::string>& said_by_rank) {
  const bool device = std::any_of(said_by_rank.begin(), said_by_rank.end(), [](const std::string& text) {
    const auto said = parse_details(text);
    return said.is_object() && said.value("device", false);
  });
  return device ? FailedBy::device : FailedBy::exception;
}

}  // namespace

Agreement agree_in_region(Exchange& exchange, Header header, Stage stage, const std::string& region,
                          const std::string& which, const OwnFailure& own) {
  header.set(Field::stage, text_digest(to_string(stage)));
  header.set(Field::region, text_digest(region));
  header.raise(Flag::region_threw, own.thrown != nullptr);
  exchange.set_place({.region = region, .stage = stage});
  const Agreement agreement = exchange.agree(header);
  if (agreement.elsewhere() || agreement.differs(Field::region) || agreement.differs(Field::plan)) {
    throw RankMismatchError("region \"" + region + "\", " + which +
                            ": ranks are in different regions or at different points of one: call `run` with "
                            "the same regions in the same order on all ranks");
  }
  if (agreement.raised(Flag::region_threw)) {
    throw_agreed_failure(exchange, region, own);
  }
  return agreement;
}

void throw_agreed_failure(Exchange& exchange, const std::string& region, const OwnFailure& own,
                          const std::function<void(FailedBy)>& told) {
  nlohmann::json said_here{{"threw", own.thrown != nullptr},
                           {"cause", own.cause},
                           {"device", own.launched && is_of_device(own.thrown)}};
  if (own.tuning_iteration) {
    said_here["iteration"] = *own.tuning_iteration;
  }
  const auto all = exchange.gather(details_text(said_here));
  if (told) {
    told(failed_by(all));
  }
  if (own.thrown) {
    std::rethrow_exception(own.thrown);
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto said = parse_details(all[rank]);
    if (said.is_object() && said.value("threw", false)) {
      const auto iteration = said.find("iteration");
      throw RegionFailedError(
          region, static_cast<int>(rank), said.value("cause", std::string()),
          iteration == said.end() ? std::nullopt : std::optional(iteration->get<std::int64_t>()));
    }
  }
  throw RankMismatchError("region \"" + region +
                          "\": a rank reported a failure, but no rank sent its cause: the ranks are at "
                          "different points of the program");
}

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

bool agree_on_plain_run(Exchange& exchange, const std::string& region, const PlainOutcome& outcome) {
  Header header;
  header.raise(Flag::something_new, outcome.something_new);
  return agree_in_region(exchange, header, Stage::plain_run, region, "a run with nothing to tune",
                         outcome.failure)
      .raised(Flag::something_new);
}

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
