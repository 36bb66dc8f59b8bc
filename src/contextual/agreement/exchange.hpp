#pragma once

/// \file
/// A collective in which the ranks agree: on what they are about to do, and on what happened in a batch.
///
/// It begins with a header of fixed size. A value that must be equal on all ranks is sent together with its
/// complement, so that one maximum over ranks shows a difference. A flag is sent as it is, so that the
/// maximum is an OR. The payload follows only when all ranks know that its length is equal. Details are sent
/// by a gather, which all ranks join because they saw the same header.

#include "contextual/agreement/exchange_place.hpp"

#include <contextual/communicator.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contextual::agreement {

/// A value that must be equal on all ranks.
enum class Field : std::size_t {
  version,   ///< of this protocol
  stage,     ///< what the exchange is about, see Stage
  sequence,  ///< how many exchanges this communicator has done
  region,
  options,   ///< in the hello: the options that must be equal, after the environment has overridden them
  plan,      ///< the plan of the batch; in the hello, the name of the timer
  launches,  ///< what was launched, by kernels that every rank launches
  problems,  ///< newly seen problems
  kept,      ///< what rank 0 has to know of the others to keep choices; after a batch, the launched kernels
  count,
};

/// A fact that all ranks learn if one rank knows it.
enum class Flag : std::size_t {
  region_threw,
  tuning_failed,  ///< a launch found no config left
  rejections,     ///< some config failed on this rank; in the hello, a choice since the ranks met
  launches_cut,   ///< an alternative failed, or memory ran out: this rank has launched otherwise
  locked_in,  ///< in the hello: as far as this rank knows, everything that the region launches is locked in
  not_locked_in,   ///< in the hello: the opposite of `locked_in`
  something_new,   ///< a region that is locked in has launched something that is not locked in
  keeps_choices,   ///< in the hello: rank 0 keeps choices
  keeps_journal,   ///< in the hello: rank 0 writes a journal
  has_kept,        ///< in the hello: rank 0 has kept choices, or the journal of a run that was cut off
  copies_buffers,  ///< in the hello: this rank needs memory for copies, which it may not get
  outputs_differ,  ///< in the final run: this rank's outputs were not repeated by the same configs
  no_head_start,   ///< in a turn of a region's part: this rank's timer must not be given one
  count,
};

inline constexpr auto field_count = static_cast<std::size_t>(Field::count);
inline constexpr auto flag_count = static_cast<std::size_t>(Flag::count);

/// What this rank says. A field that no rank sets is equal.
class Header {
 public:
  void set(Field field, std::uint64_t value) noexcept { fields_[static_cast<std::size_t>(field)] = value; }
  /// Leaves the field to the other ranks: it is equal if it is equal on them.
  void abstain(Field field) noexcept { abstains_[static_cast<std::size_t>(field)] = true; }
  void raise(Flag flag, bool raised = true) noexcept { flags_[static_cast<std::size_t>(flag)] |= raised; }
  /// Offers a word that may differ between ranks. All ranks learn the largest one.
  void offer(std::int64_t word) noexcept { offer_ = word; }

 private:
  friend class Exchange;
  std::int64_t offer_ = 0;
  std::array<std::uint64_t, field_count> fields_{};
  std::array<bool, field_count> abstains_{};
  std::array<bool, flag_count> flags_{};
};

/// What all ranks know after the header.
class Agreement {
 public:
  bool differs(Field field) const noexcept { return differs_[static_cast<std::size_t>(field)]; }
  bool raised(Flag flag) const noexcept { return raised_[static_cast<std::size_t>(flag)]; }
  /// Returns true if some rank is at another point of the program or has another version of the library. Its
  /// flags then concern something else.
  bool elsewhere() const noexcept {
    return differs(Field::version) || differs(Field::stage) || differs(Field::sequence);
  }
  std::int64_t largest_offer() const noexcept { return largest_offer_; }

 private:
  friend class Exchange;
  std::int64_t largest_offer_ = 0;
  std::array<bool, field_count> differs_{};
  std::array<bool, flag_count> raised_{};
};

/// One tuner's use of its communicator. Every collective throws CommunicationError if the communicator does,
/// with a message that also names the place. In a forked child it throws Error, because a child must not take
/// part for its parent.
class Exchange {
 public:
  /// Increase it with every change of the header, of a payload or of a gathered text.
  static constexpr std::uint64_t protocol_version = 17;

  Exchange(Communicator& communicator, std::chrono::milliseconds timeout);

  /// Sets the deadline of the exchanges to come.
  void set_timeout(std::chrono::milliseconds timeout) noexcept { timeout_ = timeout; }
  /// Sets the place of the run that messages of the exchanges to come name.
  void set_place(ExchangePlace place) { place_ = std::move(place); }
  /// Returns true if this process made the exchange, and false if a process did from which it was forked.
  bool of_this_process() const noexcept;

  int rank() const noexcept { return communicator_.rank(); }
  int size() const noexcept { return communicator_.size(); }

  /// Exchanges the header, in which it sets the version and the sequence.
  Agreement agree(Header header);
  void max(std::span<std::int64_t> values);
  std::vector<std::string> gather(std::string_view details);

 private:
  void check_process() const;
  template <typename Collective>
  auto within_deadline(const Collective& collective);

  Communicator& communicator_;
  std::chrono::milliseconds timeout_;
  ExchangePlace place_;
  std::uint64_t sequence_ = 0;
  int process_;
};

}  // namespace contextual::agreement
