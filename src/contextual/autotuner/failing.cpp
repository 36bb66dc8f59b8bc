/// \file
/// RegionRun: how a run ends badly, alike on all ranks and with every rank's reasons.

#include "contextual/autotuner/details_text.hpp"
#include "contextual/autotuner/failure.hpp"
#include "contextual/autotuner/launch_signature.hpp"
#include "contextual/autotuner/majority.hpp"
#include "contextual/autotuner/region_run.hpp"

#include <contextual/error.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace contextual::autotuner {

using detail::ProblemSlot;
using nlohmann::json;
using policy::ProblemStatus;
using sync::Field;

void RegionRun::throw_failures(const Batch& batch) {
  const std::int64_t iteration = context_.tuning_iteration;
  const auto all = exchange_.gather(
      details_text({{"threw", batch.failure != nullptr}, {"cause", batch.cause}, {"iteration", iteration}}));
  told_ = true;
  if (batch.failure) {
    std::rethrow_exception(batch.failure);
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const json said = parse_details(all[rank]);
    if (said.is_object() && said.value("threw", false)) {
      throw RegionFailedError(context_.region(), static_cast<int>(rank), said.value("cause", std::string()),
                              said.value("iteration", std::int64_t{0}));
    }
  }
  throw RankMismatchError("region \"" + context_.region() +
                          "\": a rank said that the region threw, and no rank did");
}

void RegionRun::rethrow(const Batch& batch) {
  if (!batch.failure || told_) {
    throw;  // it is what this rank is to throw
  }
  recorder_.warning("the other ranks could not be told of what failed on this one: " +
                    text_of(std::current_exception()));
  std::rethrow_exception(batch.failure);
}

/// What this rank adds to the reasons why a problem failed: the batch's rejections, and for a problem of its
/// own those before.
json RegionRun::failure_details(const Batch& batch) {
  json own = json::object();
  try {
    if (batch.tuning_failed) {
      std::rethrow_exception(batch.failure);
    }
  } catch (const TuningFailedError& error) {
    own = {{"kernel", error.kernel()}, {"key", error.key()}};
  }
  own["rejections"] = json::array();
  const auto add = [&](const ProblemSlot& slot, std::size_t id, const std::string& reason) {
    own["rejections"].push_back({slot.name, slot.key_text, id, config_text(slot, id), reason});
  };
  for (const ProblemSlot& slot : context_.slots()) {
    const bool failed_here = own.value("kernel", std::string()) == slot.name;
    if (!slot.shared() && failed_here) {
      for (const Rejection& rejection : rejections_of(slot)) {
        add(slot, rejection.config_id, rejection.reason);
      }
    }
    for (const detail::LocalRejection& rejection : slot.rejections) {
      if (slot.shared() || failed_here) {
        add(slot, rejection.config_id, rejection.reason);
      }
    }
  }
  return own;
}

void RegionRun::throw_tuning_failed(const Batch& batch) {
  std::vector<json> all;
  for (const std::string& text : exchange_.gather(details_text(failure_details(batch)))) {
    all.push_back(parse_details(text));
  }
  told_ = true;
  const auto failed =
      std::find_if(all.begin(), all.end(), [](const json& said) { return said.contains("kernel"); });
  if (failed == all.end()) {
    throw RankMismatchError("region \"" + context_.region() +
                            "\": a rank said that tuning failed, and no rank did");
  }
  const std::string kernel = failed->at("kernel");
  const std::string key = failed->at("key");
  std::vector<Rejection> rejections;
  for (const ProblemSlot& slot : context_.slots()) {
    if (slot.shared() && slot.name == kernel && slot.key_text == key) {
      rejections = rejections_of(slot);  // agreed before
    }
  }
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::string prefix = all.size() > 1 ? "rank " + std::to_string(rank) + ": " : "";
    for (const json& entry : all[rank].at("rejections")) {
      if (entry[0].get<std::string>() == kernel && entry[1].get<std::string>() == key) {
        rejections.push_back({entry[2].get<std::size_t>(), entry[3], prefix + entry[4].get<std::string>()});
      }
    }
  }
  throw TuningFailedError(context_.region(), kernel, key, std::move(rejections));
}

void RegionRun::throw_mismatch(const sync::Agreement& agreement, const Batch& batch) {
  const auto details = exchange_.gather(launch_details(context_, batch.first_iteration));
  std::string what = "region \"" + context_.region() + "\", tuning iterations " +
                     std::to_string(batch.first_iteration) + " to " +
                     std::to_string(batch.first_iteration + static_cast<std::int64_t>(batch.length) - 1) +
                     ": ranks do not do the same. ";
  if (agreement.differs(Field::version)) {
    what += "They run different versions of this library";
  } else if (agreement.differs(Field::region) || agreement.differs(Field::stage) ||
             agreement.differs(Field::sequence)) {
    what +=
        "They are in different regions or at different points of one: call `run` with the same regions in "
        "the "
        "same order on all ranks";
  } else if (agreement.differs(Field::launches)) {
    what += describe_difference(details) +
            ". If that is meant, declare the kernel Participation::some or ::local";
  } else {
    what += "Their plans differ: the schedule reads something that is not equal on all ranks";
  }
  throw RankMismatchError(what, majority_of(details).differing);
}

void RegionRun::keep_local_failure(Batch& batch) {
  try {
    throw_if_failed(false);
  } catch (const TuningFailedError& error) {
    batch.cause = error.what();  // the other ranks learn of it by the exchange that follows
    batch.failure = std::current_exception();
  }
}

void RegionRun::throw_if_failed(bool shared) {
  for (const ProblemSlot& slot : context_.slots()) {
    const policy::ProblemRecord* record = record_of(slot);
    if (slot.shared() == shared && record != nullptr && record->status == ProblemStatus::failed) {
      throw TuningFailedError(context_.region(), slot.name, slot.key_text, rejections_of(slot));
    }
  }
}

std::string RegionRun::config_text(const ProblemSlot& slot, std::size_t config_id) {
  return slot.members.empty() ? "(not known on this rank)"
                              : slot.members.front()->space().configs[config_id].to_string();
}

std::vector<Rejection> RegionRun::rejections_of(const ProblemSlot& slot) const {
  std::vector<Rejection> rejections;
  if (const policy::ProblemRecord* record = record_of(slot)) {
    for (std::size_t id = 0; id < record->configs.size(); ++id) {
      if (record->configs[id].rejection) {
        rejections.push_back({id, config_text(slot, id), *record->configs[id].rejection});
      }
    }
  }
  return rejections;
}

}  // namespace contextual::autotuner
