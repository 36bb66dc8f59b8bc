#include "contextual/agreement/agreed_failure.hpp"

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

}  // namespace contextual::agreement
