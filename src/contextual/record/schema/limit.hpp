#pragma once

/// \file
/// The event about the parts of a region.

#include "contextual/record/schema/field.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace contextual::record::schema {

/// A part of a region, which was run alone.
template <typename Storage>
struct PartTime {
  typename Storage::Text name{};
  std::optional<double> makespan_ns{};
  std::optional<double> spread_ns{};

  bool operator==(const PartTime&) const = default;

  static constexpr auto fields() {
    return std::tuple{
        field("name", &PartTime::name).needed().shown("name"),
        field("makespan_ns", &PartTime::makespan_ns).shown("makespan", Unit::latency_ns).or_shown_as("none"),
        field("spread_ns", &PartTime::spread_ns)};
  }
};

/// How short the region could be, by its parts.
template <typename Storage>
struct Limit {
  std::int64_t round_count = 0;
  std::vector<PartTime<Storage>> parts{};
  std::optional<double> result_ns{};  ///< makespan of the whole region in the same rounds
  std::optional<double> result_spread_ns{};
  std::optional<double> limit_ns{};  ///< of the longest part
  std::optional<double> hidden{};    ///< (sum - result) / (sum - longest)

  static constexpr std::string_view event_name = "limit";
  static constexpr auto fields() {
    using L = Limit;
    return std::tuple{field("round_count", &L::round_count).shown("rounds"),
                      field("parts", &L::parts).shown("part"),
                      field("result_ns", &L::result_ns).shown_if_set("result", Unit::latency_ns),
                      field("result_spread_ns", &L::result_spread_ns),
                      field("limit_ns", &L::limit_ns).shown_if_set("limit", Unit::latency_ns),
                      field("hidden", &L::hidden).shown_if_set("hidden", Unit::fraction)};
  }
};

}  // namespace contextual::record::schema
