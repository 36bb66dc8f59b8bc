#pragma once

/// \file
/// What a choice was made on: the machine and the software, as far as the best config may depend on them.

#include <contextual/export.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace contextual::detail {

/// A machine and its software: the value of each part, by the part's name. In UTF-8, without line ends.
using Machine = std::map<std::string, std::string>;

/// Adds a part to `this_machine`, such as the devices, or replaces the one of this name. `describe` returns
/// its value; it is called by `this_machine` and may throw. Thread-safe.
CONTEXTUAL_API void describe_machine(const std::string& part, std::function<std::string()> describe);

/// Returns what this process runs on: this library, the version of its search, the processor, the variables
/// NCCL_* that change how NCCL works, and what was added. Names no host and no bus. Thread-safe.
CONTEXTUAL_API Machine this_machine();

/// Returns what tells this machine from others: equal for all processes on it, also in containers. It is what
/// NCCL goes by where NCCL_HOSTID is set, else a digest. Thread-safe.
CONTEXTUAL_API std::string node_text();

/// Adds to the machines of all ranks how many of them are on the rank's machine. `nodes`: their `node_text`.
CONTEXTUAL_API void add_ranks_per_node(std::vector<Machine>& machines, const std::vector<std::string>& nodes);
/// The part that it adds.
inline constexpr const char* ranks_on_machine = "ranks on this machine";

/// Returns on how many processors a thread of this process may run, at least one; 0: the calling thread.
CONTEXTUAL_API int usable_processors(int thread) noexcept;

/// The part with the processor's name and how many of them this process may use.
inline constexpr const char* processor_part = "processor";

/// Returns true for the versions of software: `cuda`, `driver`, `library`, `nccl` and `search`.
CONTEXTUAL_API bool is_version(const std::string& part);
/// Returns the machine without these parts.
CONTEXTUAL_API Machine without_versions(Machine machine);

CONTEXTUAL_API std::uint64_t machine_digest(const Machine& machine);

}  // namespace contextual::detail
