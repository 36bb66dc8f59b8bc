#pragma once

/// \file
/// The events of a log: the members of each and, below them, one row per member. docs/log-format.md says what
/// they mean. The writers of both logs and the reader follow the rows. A new field therefore needs a member,
/// a row, and code that sets it where its event is made (recorder.cpp, make_events.cpp, timeline_keeper.cpp;
/// for `blocked`, tuning/blocked_rank.cpp).
///
/// `Storage` says how an event holds texts, problems and configs. The library's events own them (events.hpp);
/// a reader of many logs keeps equal ones once.

#include "contextual/record/schema/config_events.hpp"
#include "contextual/record/schema/field.hpp"
#include "contextual/record/schema/result_events.hpp"
#include "contextual/record/schema/run_events.hpp"

#include <cstdint>
#include <tuple>
#include <variant>

namespace contextual::record::schema {

template <typename Storage>
using EventBody = std::variant<RunStart<Storage>, Hello<Storage>, DeviceConditions<Storage>, Launch<Storage>,
                               ConfigSummary<Storage>, Rejected<Storage>, Choice<Storage>,
                               SearchResult<Storage>, Timeline<Storage>, Limit<Storage>, Warning<Storage>,
                               Progress<Storage>, Blocked<Storage>, RunEnd<Storage>>;

/// One line of a log.
template <typename Storage>
struct Event {
  typename Storage::Text run_id{};
  std::int64_t rank = 0;
  typename Storage::Text region{};
  EventBody<Storage> body{};

  /// The fields of a line between `event_name_field` and the fields of the body.
  static constexpr auto fields() {
    return std::tuple{field("run_id", &Event::run_id).needed(), field("rank", &Event::rank).needed().as_id(),
                      field("region", &Event::region).needed()};
  }
};

/// The field with the name of the body, e.g. RunStart::event_name.
inline constexpr const char* event_name_field = "event";

}  // namespace contextual::record::schema
