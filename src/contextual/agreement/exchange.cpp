#include "contextual/agreement/exchange.hpp"

#include <contextual/error.hpp>

#include <unistd.h>

#include <bit>
#include <limits>
#include <utility>

namespace contextual::agreement {
namespace {

/// Below every value in a maximum, except this value itself.
constexpr std::int64_t no_say = std::numeric_limits<std::int64_t>::min();

}  // namespace

Exchange::Exchange(Communicator& communicator, std::chrono::milliseconds timeout)
    : communicator_(communicator), timeout_(timeout), process_(getpid()) {}

bool Exchange::of_this_process() const noexcept {
  return getpid() == process_;
}

void Exchange::check_process() const {
  if (!of_this_process()) {
    throw Error(
        "this process was forked from one that is tuning: a child cannot take part in its parent's run");
  }
}

/// Transports know neither region nor phase.
template <typename Collective>
auto Exchange::within_deadline(const Collective& collective) {
  check_process();
  try {
    return collective(Deadline::after(timeout_));
  } catch (const CommunicationError& error) {
    throw CommunicationError(communication_text(place_, timeout_, error.cause(), error.missing_ranks()),
                             error.missing_ranks());
  }
}

Agreement Exchange::agree(Header header) {
  check_process();
  header.set(Field::version, protocol_version);
  header.set(Field::sequence, sequence_++);
  std::array<std::int64_t, 2 * field_count + flag_count + 1> words{};
  for (std::size_t i = 0; i < field_count; ++i) {
    words[2 * i] = header.abstains_[i] ? no_say : std::bit_cast<std::int64_t>(header.fields_[i]);
    words[2 * i + 1] = header.abstains_[i] ? no_say : ~words[2 * i];
  }
  for (std::size_t i = 0; i < flag_count; ++i) {
    words[2 * field_count + i] = header.flags_[i] ? 1 : 0;
  }
  words.back() = header.offer_;
  max(words);
  Agreement agreement;
  agreement.largest_offer_ = words.back();
  for (std::size_t i = 0; i < field_count; ++i) {
    const bool nobody_said = words[2 * i] == no_say && words[2 * i + 1] == no_say;
    agreement.differs_[i] =
        words[2 * i] != ~words[2 * i + 1] && !nobody_said;  // largest against smallest value
  }
  for (std::size_t i = 0; i < flag_count; ++i) {
    agreement.raised_[i] = words[2 * field_count + i] != 0;
  }
  return agreement;
}

void Exchange::max(std::span<std::int64_t> values) {
  within_deadline([&](Deadline deadline) { communicator_.all_reduce_max(values, std::move(deadline)); });
}

std::vector<std::string> Exchange::gather(std::string_view details) {
  return within_deadline(
      [&](Deadline deadline) { return communicator_.all_gather(details, std::move(deadline)); });
}

}  // namespace contextual::agreement
