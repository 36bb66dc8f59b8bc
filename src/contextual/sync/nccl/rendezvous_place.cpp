#include "contextual/sync/nccl/rendezvous_place.hpp"

#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/error.hpp>

#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

namespace contextual::sync {
namespace {

using detail::LaunchedRank;
using detail::Launcher;
using Get = std::function<const char*(const char*)>;
using Variables = std::vector<const char*>;

constexpr const char* port_variable = "CONTEXTUAL_RENDEZVOUS_PORT";
constexpr const char* host_variable = "CONTEXTUAL_RENDEZVOUS_HOST";

/// What a launcher says of its nodes.
struct NodeVariables {
  Variables spread;  ///< the number of ranks on this node; with Slurm that of the nodes
  Variables hosts;   ///< names or lists of names, of which the first is the host of rank 0
};

NodeVariables node_variables(Launcher launcher) {
  switch (launcher) {
    case Launcher::torchrun:
      return {{"LOCAL_WORLD_SIZE"}, {"MASTER_ADDR"}};
    case Launcher::open_mpi:
      return {{"OMPI_COMM_WORLD_LOCAL_SIZE"}, {}};
    case Launcher::mpich:
      return {{"MPI_LOCALNRANKS"}, {}};
    case Launcher::slurm:
      return {{"SLURM_STEP_NUM_NODES", "SLURM_NNODES"},
              {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_LAUNCH_NODE_IPADDR"}};
  }
  return {};
}

/// The first of these variables that is set and not empty, or an empty text.
std::string first_set(const Get& get, const Variables& variables) {
  for (const char* const variable : variables) {
    if (const char* const text = get(variable); text != nullptr && *text != '\0') {
      return text;
    }
  }
  return "";
}

std::uint16_t port_of(const Get& get) {
  const std::string text = first_set(get, {port_variable});
  const char* const end = text.data() + text.size();
  std::uint16_t port = default_rendezvous_port;
  const auto [last, error] = std::from_chars(text.data(), end, port);
  if (!text.empty() && (error != std::errc() || last != end || port == 0)) {
    throw InvalidArgument(std::string(port_variable) + " is \"" + text + "\": it must be a port, 1 to 65535");
  }
  if (first_set(get, {"MASTER_PORT"}) == std::to_string(port)) {
    throw InvalidArgument("port " + std::to_string(port) + " is MASTER_PORT, which the launcher uses: set " +
                          port_variable + " to another one");
  }
  return port;
}

std::string host_of(const LaunchedRank& launched, const Get& get) {
  std::string host = first_set(get, {host_variable});
  if (!host.empty()) {
    return host;
  }
  const NodeVariables variables = node_variables(launched.launcher);
  const int spread_of_one_node = launched.launcher == Launcher::slurm ? 1 : launched.size;
  if (first_set(get, variables.spread) == std::to_string(spread_of_one_node)) {
    return "127.0.0.1";
  }
  host = first_host(first_set(get, variables.hosts));
  if (host.empty()) {
    throw InvalidArgument("the launcher does not say on which host rank 0 is: set " +
                          std::string(host_variable) + " to a name or address of it, on all ranks");
  }
  return host;
}

/// A hash of what the launcher calls this job, and of the port on which its own ranks meet.
std::uint64_t job_of(const Get& get) {
  detail::StableHash name;
  for (const char* const variable :
       {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_PORT", "SLURM_JOB_ID", "SLURM_STEP_ID",
        "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}) {
    name.add(std::string_view(first_set(get, {variable})));
  }
  return name.value();
}

}  // namespace

std::string first_host(const std::string& node_list) {
  std::string host;
  for (std::size_t at = 0; at < node_list.size() && node_list[at] != ','; ++at) {
    if (node_list[at] != '[') {
      host += node_list[at];
      continue;
    }
    const std::size_t first_end = node_list.find_first_of(",-]", at);
    const std::size_t close = node_list.find(']', at);
    if (close == std::string::npos) {
      return "";
    }
    host += node_list.substr(at + 1, first_end - at - 1);
    at = close;
  }
  return host;
}

RendezvousPlace rendezvous_place(const LaunchedRank& launched, const Get& get) {
  return {.host = host_of(launched, get), .port = port_of(get), .job = job_of(get)};
}

}  // namespace contextual::sync
