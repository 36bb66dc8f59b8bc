#include "contextual/sync/nccl/rendezvous_place.hpp"

#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/error.hpp>

#include <charconv>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <system_error>

namespace contextual::sync {
namespace {

using detail::LaunchedRank;
using detail::Launcher;
using Get = std::function<const char*(const char*)>;

constexpr const char* port_variable = "CONTEXTUAL_RENDEZVOUS_PORT";
constexpr const char* host_variable = "CONTEXTUAL_RENDEZVOUS_HOST";
constexpr const char* loopback = "127.0.0.1";

/// The first of these variables that is set and not empty, or an empty text.
std::string first_set(const Get& get, std::initializer_list<const char*> variables) {
  for (const char* const variable : variables) {
    if (const char* const text = get(variable); text != nullptr && *text != '\0') {
      return text;
    }
  }
  return "";
}

std::optional<int> number(const std::string& text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && last == end ? std::optional(value) : std::nullopt;
}

std::uint16_t port_of(const Get& get) {
  const std::string text = first_set(get, {port_variable});
  const auto port = text.empty() ? std::optional<int>(default_rendezvous_port) : number(text);
  if (!port || *port < 1 || *port > 65535) {
    throw InvalidArgument(std::string(port_variable) + " is \"" + text + "\": it must be a port, 1 to 65535");
  }
  if (number(first_set(get, {"MASTER_PORT"})) == port) {
    throw InvalidArgument("port " + std::to_string(*port) + " is MASTER_PORT, which the launcher uses: set " +
                          port_variable + " to another one");
  }
  return static_cast<std::uint16_t>(*port);
}

/// Whether all ranks are on this node, as far as the launcher says.
bool one_node(const LaunchedRank& launched, const Get& get) {
  switch (launched.launcher) {
    case Launcher::torchrun:
      return number(first_set(get, {"LOCAL_WORLD_SIZE"})) == launched.size;
    case Launcher::open_mpi:
      return number(first_set(get, {"OMPI_COMM_WORLD_LOCAL_SIZE"})) == launched.size;
    case Launcher::mpich:
      return number(first_set(get, {"MPI_LOCALNRANKS"})) == launched.size;
    case Launcher::slurm:
      return number(first_set(get, {"SLURM_STEP_NUM_NODES", "SLURM_NNODES"})) == 1;
  }
  return false;
}

std::string launchers_host(const LaunchedRank& launched, const Get& get) {
  if (one_node(launched, get)) {
    return loopback;
  }
  if (launched.launcher == Launcher::torchrun) {
    return first_set(get, {"MASTER_ADDR"});
  }
  if (launched.launcher == Launcher::slurm) {
    const std::string host = first_host(first_set(get, {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}));
    return host.empty() ? first_set(get, {"SLURM_LAUNCH_NODE_IPADDR"}) : host;
  }
  return "";
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
    const std::size_t end = node_list.find_first_of(",-]", at);
    const std::size_t close = node_list.find(']', at);
    if (close == std::string::npos) {
      return "";
    }
    host += node_list.substr(at + 1, end - at - 1);
    at = close;
  }
  return host;
}

RendezvousPlace rendezvous_place(const LaunchedRank& launched, const Get& get) {
  RendezvousPlace place;
  place.port = port_of(get);
  place.job = job_of(get);
  place.host = first_set(get, {host_variable});
  if (place.host.empty()) {
    place.host = launchers_host(launched, get);
  }
  if (place.host.empty()) {
    throw InvalidArgument("the launcher does not say on which host rank 0 is: set " +
                          std::string(host_variable) + " to a name or address of it, on all ranks");
  }
  return place;
}

}  // namespace contextual::sync
