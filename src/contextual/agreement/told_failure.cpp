#include "contextual/agreement/told_failure.hpp"

#include "contextual/agreement/details_text.hpp"

#include <contextual/error.hpp>

#include <nlohmann/json.hpp>

namespace contextual::agreement {

void throw_told_failure(Exchange& exchange, const std::string& region, const OwnFailure& own,
                        const std::function<void()>& told) {
  nlohmann::json said_here{{"threw", own.thrown != nullptr}, {"cause", own.cause}};
  if (own.tuning_iteration) {
    said_here["iteration"] = *own.tuning_iteration;
  }
  const auto all = exchange.gather(details_text(said_here));
  if (told) {
    told();
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
