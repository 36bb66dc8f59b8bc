#pragma once

/// \file
/// What a choice was made on: the machine and the software, as far as the best config may depend on them.

#include <contextual/export.hpp>

#include <functional>
#include <string>
#include <vector>

namespace contextual::detail {

/// Adds a part to `machine_text`, such as the devices, or replaces the one of this name. `describe` returns
/// its text, without a line end; it is called by `machine_text` and may throw. Thread-safe.
CONTEXTUAL_API void describe_machine(const std::string& part, std::function<std::string()> describe);

/// Returns one line a part, `part: text`, in the order of their names: this library, the version of its
/// search, the processor, the variables NCCL_* that change how NCCL works, and what was added. It names no
/// host and no bus. Thread-safe.
CONTEXTUAL_API std::string machine_text();

/// Returns what tells this machine from others: equal for all processes on it, also in containers. It is what
/// NCCL goes by where NCCL_HOSTID is set, else a digest. Thread-safe.
CONTEXTUAL_API std::string node_text();

/// Adds to the texts of all ranks how many of them are on the rank's machine. `nodes`: their `node_text`.
CONTEXTUAL_API void add_ranks_per_node(std::vector<std::string>& machine_texts,
                                       const std::vector<std::string>& nodes);
/// The line that it adds.
inline constexpr const char* ranks_on_machine = "ranks on this machine";

/// Returns on how many processors a thread of this process may run, at least one; 0: the calling thread.
CONTEXTUAL_API int usable_processors(int thread) noexcept;

/// The part with the processor's name and how many of them this process may use.
inline constexpr const char* processor_part = "processor";
/// Returns such a text without that line.
CONTEXTUAL_API std::string without_processor(const std::string& machine_text);

/// Returns such a text without the versions of software: its lines `cuda`, `driver`, `library`, `nccl`
/// and `search`.
CONTEXTUAL_API std::string without_versions(const std::string& machine_text);
/// Returns only these lines.
CONTEXTUAL_API std::string versions_in(const std::string& machine_text);

}  // namespace contextual::detail
