#pragma once

/// \file
/// The checks of a config space and their messages. A failed check throws ConfigSpaceError.

#include <contextual/config.hpp>
#include <contextual/detail/config/space_column.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace contextual::detail {

/// The most candidates that are generated; a walk through more would never end.
inline constexpr std::uint64_t max_space_cardinality = 1'000'000;

/// How many candidates a constraint excluded, of those that the constraints before it allowed.
struct Exclusion {
  std::string constraint;
  std::uint64_t excluded_count = 0;
};

/// Returns the number of combinations, or the largest value if that overflows; 0 without parameters.
std::uint64_t cardinality(std::span<const SpaceAxis> axes) noexcept;

/// Checks that there are parameters, that names are unique, and that each parameter has values, distinct and
/// of one type. If `listed`, the configs come from a list, and parameters need no values.
void check_axes(std::span<const SpaceAxis> axes, bool listed);

/// Checks that every refinement has numbers as values, that they are of the type of a parameter of that name
/// and none of its values, and that the configs do not come from a list.
void check_refinements(std::span<const SpaceAxis> axes, std::span<const SpaceAxis> refinements, bool listed);

void check_list_size(std::size_t size);
void check_cardinality(std::uint64_t cardinality);

/// Checks that no config occurs twice.
void check_unique(std::span<const Config> listed);

/// Returns a dynamic config with its parameters in the order of `reference`, and checks that it has the names
/// and types of `reference`. `what` describes the config in messages, e.g. "the default config".
Config in_order_of(const Config& reference, const Config& config, const std::string& what);

[[noreturn]] void fail_no_default();
[[noreturn]] void fail_unreadable(const std::string& parameter);
[[noreturn]] void fail_shared_member(const std::string& first, const std::string& second);
[[noreturn]] void fail_refined_member(const std::string& parameter);
[[noreturn]] void fail_empty_constraint(const std::string& constraint);
[[noreturn]] void fail_constraint_threw(const std::string& constraint, const Config& config,
                                        const std::string& cause);
[[noreturn]] void fail_default_excluded(const std::string& constraint, const Config& config,
                                        const Config& allowed);
[[noreturn]] void fail_contradictory(std::uint64_t candidates, const std::vector<Exclusion>& exclusions);
[[noreturn]] void fail_moved_from();

}  // namespace contextual::detail
