#pragma once

/// \file
/// Events about contests.

#include "contextual/record/schema/enum_texts.hpp"
#include "contextual/record/schema/field.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace contextual::record::schema {

/// One candidate of a contest.
template <typename Storage>
struct ContestEntry {
  typename Storage::Text name{};        ///< "config-2", "defaults", ...
  std::int64_t config_id = 0;           ///< the config, or the set's index
  std::int64_t round_count = 0;         ///< valid rounds
  std::optional<double> makespan_ns{};  ///< centre over its rounds
  std::optional<double> spread_ns{};    ///< of the makespan
  std::optional<double> gain_ns{};  ///< incumbent's makespan minus its own, paired; empty for the incumbent
  bool chosen = false;

  bool operator==(const ContestEntry&) const = default;

  static constexpr auto fields() {
    return std::tuple{field("name", &ContestEntry::name),
                      field("config_id", &ContestEntry::config_id).as_id(),
                      field("round_count", &ContestEntry::round_count),
                      field("makespan_ns", &ContestEntry::makespan_ns),
                      field("spread_ns", &ContestEntry::spread_ns),
                      field("gain_ns", &ContestEntry::gain_ns),
                      field("chosen", &ContestEntry::chosen)};
  }
};

/// One comparison by the makespan of the region.
template <typename Storage>
struct Contest {
  ContestKind kind = ContestKind::problem;
  std::int64_t pass = 0;
  typename Storage::Problem problem{};           ///< without a kernel unless `kind` is `problem`
  std::vector<ContestEntry<Storage>> entries{};  ///< the incumbent first
  typename Storage::Text reason{};

  static constexpr std::string_view event_name = "contest";
  static constexpr auto fields() {
    return std::tuple{
        field("kind", &Contest::kind).needed().shown("contest"), field("pass", &Contest::pass).shown("pass"),
        field("kernel", &Contest::problem).shown_if_set("kernel"),
        field("entries", &Contest::entries).shown(""), field("reason", &Contest::reason).shown("reason")};
  }
};

}  // namespace contextual::record::schema
