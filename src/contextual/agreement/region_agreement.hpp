#pragma once

/// \file
/// Ends a run after some rank has said that it threw: all ranks tell what they threw, and all throw.

#include "contextual/agreement/exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace contextual::agreement {

/// The failure of this rank, if there is one.
struct OwnFailure {
  std::exception_ptr thrown;                       ///< null if nothing failed on this rank
  std::string cause;                               ///< the exception's text
  std::optional<std::int64_t> tuning_iteration{};  ///< empty before the first tuning iteration
  bool launched = true;  ///< whether the device may have failed by a launch of the batch
};

/// What has failed, as all ranks know then.
enum class FailedBy {
  exception,
  device,  ///< some rank threw a DeviceError, maybe because of the batch
};

/// Agrees on the header at this stage of a region, which a rank may have failed in: throws as
/// `throw_agreed_failure` does if one has. Throws RankMismatchError, which says what the region is (`which`),
/// if ranks are elsewhere or have other plans. Collective.
Agreement agree_in_region(Exchange& exchange, Header header, Stage stage, const std::string& region,
                          const std::string& which, const OwnFailure& own);

/// A rank that threw rethrows its exception unchanged; the others throw RegionFailedError for the first rank
/// that threw. All ranks throw RankMismatchError if no rank says that it threw. `told` is called once the
/// other ranks know. Collective.
[[noreturn]] void throw_agreed_failure(Exchange& exchange, const std::string& region, const OwnFailure& own,
                                       const std::function<void(FailedBy)>& told = {});

/// What a rank makes of the sets of choices that rank 0 has read.
struct KeptOutcome {
  OwnFailure failure;        ///< with it no set can be used
  std::vector<bool> usable;  ///< whether this rank can use a set; as long on all ranks
};

/// Returns for each set whether all ranks can use it. Collective: a header and a reduction. Throws on all
/// ranks if one has failed, and RankMismatchError or CommunicationError.
std::vector<bool> agree_on_kept_choices(Exchange& exchange, const std::string& region,
                                        const KeptOutcome& outcome);

/// The outcome of such a run on this rank.
struct PlainOutcome {
  OwnFailure failure;
  bool something_new = false;  ///< a launch without a lasting choice, or a choice that was rejected
};

/// Returns true if something was new on any rank, so that all ranks must tune. Collective. Throws on all
/// ranks if the region threw on one.
bool agree_on_plain_run(Exchange& exchange, const std::string& region, const PlainOutcome& outcome);

/// The outcome of such a run on this rank.
struct PartOutcome {
  std::size_t turn = 0;  ///< how many such runs came before; equal on all ranks
  OwnFailure failure;
  std::optional<std::int64_t> makespan_ns;
  bool no_head_start = false;  ///< the timer wants none any more
};

struct AgreedPart {
  std::optional<std::int64_t> makespan_ns;  ///< the largest; none if a rank has none
  bool no_head_start = false;               ///< on some rank
};

/// Collective. Throws on all ranks if the part threw on one.
AgreedPart agree_on_part(Exchange& exchange, const std::string& region, const PartOutcome& outcome);

}  // namespace contextual::agreement
