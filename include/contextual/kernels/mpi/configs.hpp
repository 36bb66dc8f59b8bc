#pragma once

/// \file
/// The configs of the exchanges between ranks (kernels.hpp) as names and values, by the kernel's name:
/// "mpi_all_gather" and "mpi_reduce_scatter". For programs that choose a kernel while they run; others use
/// its config space. Needs no initialised MPI. Thread-safe.

#include <contextual/config.hpp>
#include <contextual/export.hpp>
#include <contextual/resource_limits.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace contextual::kernels::mpi {

/// Returns the names of these kernels, in the order of texts.
CONTEXTUAL_API std::vector<std::string> kernel_types();

/// Returns nothing for each config: an exchange needs the thread that launches it and no other. Throws
/// InvalidArgument for an unknown kernel, and for a config that is not in its config space.
CONTEXTUAL_API ResourceNeeds resource_needs(std::string_view kernel_type, const Config& config);

/// Returns the configs of the kernel's config space that fit the limits, the default first if it does. Throws
/// InvalidArgument for an unknown kernel, which names those that there are.
CONTEXTUAL_API std::vector<Config> generate_configs(std::string_view kernel_type,
                                                    const ResourceLimits& limits = {});

/// Returns those of these configs that the kernel has and that fit the limits, in their order. Throws as
/// `generate_configs`.
CONTEXTUAL_API std::vector<Config> filter_valid_configs(std::string_view kernel_type,
                                                        const std::vector<Config>& configs,
                                                        const ResourceLimits& limits = {});

/// Returns the default of the kernel's config space; where that does not fit the limits, the first config
/// that does. Throws InvalidArgument if none does, and as `generate_configs`.
CONTEXTUAL_API Config get_default_config(std::string_view kernel_type, const ResourceLimits& limits = {});

}  // namespace contextual::kernels::mpi
