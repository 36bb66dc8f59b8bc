#pragma once

/// \file
/// Ends a run after some rank has said that it threw: all ranks tell what they threw, and all throw.

#include "contextual/agreement/exchange.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

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

}  // namespace contextual::agreement
