#pragma once

/// \file
/// What is wrong with a config space, and the words for it. The untyped half of `space_generator.hpp`.
/// Everything that fails throws ConfigSpaceError.

#include <contextual/config.hpp>
#include <contextual/detail/config/space_parameter.hpp>
#include <contextual/export.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace contextual::detail {

/// More candidates than this are not generated: a walk through them would never end.
inline constexpr std::uint64_t max_space_cardinality = 1'000'000;

/// How many candidates a constraint excluded that the constraints before it let pass.
struct Exclusion {
  std::string constraint;
  std::uint64_t excluded_count = 0;
};

/// The number of combinations, saturating; 0 without parameters.
CONTEXTUAL_API std::uint64_t cardinality(std::span<const SpaceAxis> axes) noexcept;

/// Parameters: some, each named once, with distinct values of one type. `listed`: values are not needed.
CONTEXTUAL_API void check_axes(std::span<const SpaceAxis> axes, bool listed);

CONTEXTUAL_API void check_list_size(std::size_t size);
CONTEXTUAL_API void check_cardinality(std::uint64_t cardinality);

/// Every config once.
CONTEXTUAL_API void check_unique(std::span<const Config> listed);

/// For dynamic configs: `config` with its parameters in the order of `reference`, which says names and types.
/// `what` says whose config it is, e.g. "the default config".
CONTEXTUAL_API Config in_order_of(const Config& reference, const Config& config, const std::string& what);

[[noreturn]] CONTEXTUAL_API void fail_no_default();
[[noreturn]] CONTEXTUAL_API void fail_unreadable(const std::string& parameter);
[[noreturn]] CONTEXTUAL_API void fail_empty_constraint(const std::string& constraint);
[[noreturn]] CONTEXTUAL_API void fail_constraint_threw(const std::string& constraint, const Config& config,
                                                       const std::string& cause);
[[noreturn]] CONTEXTUAL_API void fail_default_excluded(const std::string& constraint, const Config& config,
                                                       const Config& allowed);
[[noreturn]] CONTEXTUAL_API void fail_contradictory(std::uint64_t candidates,
                                                    const std::vector<Exclusion>& exclusions);
[[noreturn]] CONTEXTUAL_API void fail_moved_from();

}  // namespace contextual::detail
