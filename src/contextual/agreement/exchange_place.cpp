#include "contextual/agreement/exchange_place.hpp"

namespace contextual::agreement {
namespace {

std::string iterations_text(const ExchangePlace& place) {
  const std::string first = std::to_string(place.first_iteration);
  const std::string numbers = place.first_iteration == place.last_iteration
                                  ? " " + first
                                  : "s " + first + " to " + std::to_string(place.last_iteration);
  return "tuning iteration" + numbers + " of the " + std::string(to_string(place.phase));
}

std::string moment_of(const ExchangePlace& place) {
  switch (place.stage) {
    case Stage::hello:
      return "before its first tuning iteration";
    case Stage::kept_choices:
      return "about the choices that rank 0 keeps";
    case Stage::prepare:
      return "before " + iterations_text(place) + ", when their configs had been prepared";
    case Stage::batch:
      return "after " + iterations_text(place);
    case Stage::final_run:
      return "after the final run";
    case Stage::part:
      return "after a run of one of its parts, or of the whole beside them";
    case Stage::plain_run:
      break;
  }
  return "after a run with nothing to tune";
}

std::string who_of(const std::vector<int>& ranks) {
  std::string text;
  for (const int rank : ranks) {
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

}  // namespace

std::string_view to_string(Stage stage) noexcept {
  switch (stage) {
    case Stage::hello:
      return "hello";
    case Stage::kept_choices:
      return "kept_choices";
    case Stage::prepare:
      return "prepare";
    case Stage::batch:
      return "batch";
    case Stage::final_run:
      return "final";
    case Stage::part:
      return "part";
    case Stage::plain_run:
      break;
  }
  return "plain run";
}

std::string to_text(const ExchangePlace& place) {
  return "region \"" + place.region + "\", in the exchange " + moment_of(place);
}

std::string communication_text(const ExchangePlace& place, std::chrono::milliseconds deadline,
                               const std::string& cause, const std::vector<int>& missing_ranks) {
  const std::string stopped =
      missing_ranks.empty() ? "each rank stopped" : who_of(missing_ranks) + " stopped";
  const std::string logs = place.stage == Stage::plain_run ? ""  // such a run writes none
                                                           : "The logs of all ranks say where " + stopped +
                                                                 ": read them with contextual-report. ";
  return to_text(place) + ", deadline " + std::to_string(deadline.count()) + " ms: " + cause + ". " + logs +
         "If a rank was only slow, raise the option `deadline`. This "
         "communicator cannot be used any more: start the ranks anew, or, where all of them live, give the "
         "tuner a new one";
}

}  // namespace contextual::agreement
