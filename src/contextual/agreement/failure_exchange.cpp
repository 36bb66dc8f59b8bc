#include "contextual/agreement/failure_exchange.hpp"

#include "contextual/agreement/details_text.hpp"
#include "contextual/agreement/launch_signature.hpp"
#include "contextual/agreement/majority.hpp"
#include "contextual/agreement/region_agreement.hpp"
#include "contextual/agreement/rejections.hpp"
#include "contextual/launch/failed_slot.hpp"

#include <contextual/error.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace contextual::agreement {

using detail::BatchFailure;
using detail::BatchPlan;
using detail::ProblemSlot;
using nlohmann::json;

namespace {

/// The problem of which no config is left, as a rank names it.
struct FailedProblem {
  std::string kernel;
  std::string key;
  /// Kernel and key may be those of several problems, because the texts of 1 and "1" are equal, and a long
  /// key may show its digest.
  std::uint64_t identity = 0;
  std::vector<int> ranks;  ///< on which a launch found no config left
};

FailedProblem failed_problem(const std::vector<json>& ranks) {
  FailedProblem failed;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const json& said = ranks[rank];
    if (!said.contains("kernel")) {
      continue;
    }
    const std::uint64_t identity = said.at("identity");
    if (failed.ranks.empty()) {
      failed.kernel = said.at("kernel");
      failed.key = said.at("key");
      failed.identity = identity;
    }
    if (identity == failed.identity) {
      failed.ranks.push_back(static_cast<int>(rank));
    }
  }
  return failed;
}

std::vector<const ProblemSlot*> slots_of(const detail::RunContext& context) {
  std::vector<const ProblemSlot*> slots;
  for (const ProblemSlot& slot : context.slots()) {
    slots.push_back(&slot);
  }
  return slots;
}

}  // namespace

void FailureExchange::throw_region_failure(const BatchFailure& own) {
  throw_agreed_failure(exchange_, context_.region(),
                       {own.thrown, own.cause, context_.tuning_iteration, own.launched},
                       [this](FailedBy what) {
                         told_ = true;
                         by_device_ = what == FailedBy::device;
                       });
}

/// What this rank adds to the reasons why a problem failed: the batch's rejections.
json FailureExchange::reasons_of_this_rank(const BatchFailure& own) const {
  json said = json::object();
  try {
    if (own.tuning_failed) {
      std::rethrow_exception(own.thrown);
    }
  } catch (const TuningFailedError& error) {
    const ProblemSlot* const slot = detail::failed_slot(slots_of(context_), error);
    said = {{"kernel", error.kernel()},
            {"key", error.key()},
            {"identity", slot == nullptr ? 0 : slot->problem.identity}};
  }
  said["rejections"] = json::array();
  for (const ProblemSlot& slot : context_.slots()) {
    for (const detail::LocalRejection& rejection : slot.launched.rejections) {
      said["rejections"].push_back({slot.problem.identity, rejection.config_id,
                                    config_text(slot, rejection.config_id), rejection.reason});
    }
  }
  return said;
}

void FailureExchange::throw_tuning_failure(const BatchFailure& own) {
  std::vector<json> all;
  for (const std::string& text : exchange_.gather(details_text(reasons_of_this_rank(own)))) {
    all.push_back(parse_details(text));
  }
  told_ = true;
  const FailedProblem failed = failed_problem(all);
  if (failed.ranks.empty()) {
    throw RankMismatchError(
        "region \"" + context_.region() +
        "\": a rank reported that tuning failed, but no rank sent the cause: the ranks are at different "
        "points of the program");
  }
  std::vector<Rejection> rejections;
  for (const ProblemSlot* slot : problems_.slots()) {
    if (slot->problem.identity == failed.identity) {
      rejections = problems_.rejections_of(*slot);  // agreed before
    }
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (const json& entry : all[rank].at("rejections")) {
      if (entry[0].get<std::uint64_t>() == failed.identity) {
        rejections.push_back({entry[1].get<std::size_t>(),
                              entry[2],
                              words_of_rank(rank, all.size(), entry[3]),
                              {static_cast<int>(rank)}});
      }
    }
  }
  throw TuningFailedError(context_.region(), failed.kernel, failed.key, std::move(rejections), failed.ranks);
}

void FailureExchange::throw_mismatch(const Agreement& agreement, const BatchPlan& plan) {
  const auto details = exchange_.gather(launch_details(context_, plan.first_iteration));
  std::string what = "region \"" + context_.region() + "\", tuning iterations " +
                     std::to_string(plan.first_iteration) + " to " + std::to_string(plan.last_iteration()) +
                     ": the ranks differ. ";
  if (agreement.differs(Field::version)) {
    what += "They run different versions of this library";
  } else if (agreement.differs(Field::region) || agreement.differs(Field::stage) ||
             agreement.differs(Field::sequence)) {
    what +=
        "They are in different regions or at different points of one: call `run` with the same regions in "
        "the "
        "same order on all ranks";
  } else if (agreement.differs(Field::plan)) {  // and so their launches may
    what +=
        "Their plans differ: the search or `feasible` reads something that is not equal on all "
        "ranks";
  } else if (agreement.differs(Field::launches)) {
    what += describe_difference(details);
  } else {
    what += "They differ in something that no message knows: a defect of this library";
  }
  throw RankMismatchError(what, majority_of(details).differing);
}

}  // namespace contextual::agreement
