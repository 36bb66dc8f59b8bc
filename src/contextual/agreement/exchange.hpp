#pragma once

/// \file
/// The collective after a settle, in which the ranks agree on what happened.
///
/// It begins with a header of fixed size. What must be equal on all ranks travels as a value and its
/// complement, so that one MAX shows a difference; flags travel as they are, so that MAX is an OR. Only then
/// comes a payload, whose length all ranks know to be the same. Details travel in a gather, which every rank
/// takes part in because every rank saw the same header.

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

/// What must be equal on all ranks.
enum class Field : std::size_t {
  version,   ///< of this protocol
  stage,     ///< hello, prepare or batch
  sequence,  ///< how many exchanges this communicator has done
  region,
  options,   ///< options and environment
  plan,      ///< the replicated state's plan of the batch; in the hello, the timer
  launches,  ///< what was launched, by kernels that every rank launches
  problems,  ///< newly seen problems of shared kernels
  count,
};

/// What one rank says for all.
enum class Flag : std::size_t {
  region_threw,
  tuning_failed,  ///< a launch found no config left
  rejections,     ///< some config failed on this rank
  local_open,     ///< a problem of a `local` kernel is still walking
  settled,        ///< hello: everything that the region launches is locked in, as far as this rank knows
  unsettled,      ///< hello: the opposite of `settled`
  something_new,  ///< a region in which everything was locked in has launched something that is not
  count,
};

inline constexpr auto field_count = static_cast<std::size_t>(Field::count);
inline constexpr auto flag_count = static_cast<std::size_t>(Flag::count);

class Header {
 public:
  void set(Field field, std::uint64_t value) noexcept { fields_[static_cast<std::size_t>(field)] = value; }
  /// This rank has no say: the field is equal where it is equal on the others.
  void abstain(Field field) noexcept { abstains_[static_cast<std::size_t>(field)] = true; }
  void raise(Flag flag, bool raised = true) noexcept { flags_[static_cast<std::size_t>(flag)] |= raised; }
  /// A word that need not be equal: all ranks learn the largest one.
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
  /// Some rank is at another point of the program, or has another library: what flags it raises is about
  /// something else.
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

/// One tuner's use of its communicator. Every call throws CommunicationError when the communicator does,
/// which then also tells the place; or Error in a forked child, which must not speak for its parent.
class Exchange {
 public:
  static constexpr std::uint64_t protocol_version = 3;

  Exchange(Communicator& communicator, std::chrono::milliseconds timeout);

  /// Of the exchanges to come.
  void set_timeout(std::chrono::milliseconds timeout) noexcept { timeout_ = timeout; }
  /// Where the run stands in the exchanges to come.
  void set_place(ExchangePlace place) { place_ = std::move(place); }
  /// Made by this process, not by one that it was forked from.
  bool of_this_process() const noexcept;

  int rank() const noexcept { return communicator_.rank(); }
  int size() const noexcept { return communicator_.size(); }

  /// Sets version and sequence itself.
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
