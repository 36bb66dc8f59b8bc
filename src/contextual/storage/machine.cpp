#include "contextual/config/utf8_text.hpp"
#include "contextual/storage/processor.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/version.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>

extern "C" char** environ;  // NOLINT(readability-identifier-naming): POSIX names it

namespace contextual::detail {
namespace {

/// Which choice the library makes from given measurements. Count it up when the walk, the search or the
/// selection is changed so that the same measurements lead to another choice.
constexpr int search_version = 13;

using Parts = std::map<std::string, std::function<std::string()>>;

/// Those that this process may use, as it is when it is first asked: its threads may be bound later.
int processors() {
  static const int count = usable_processors(::getpid());
  return count;
}

/// They say who takes part, where, and what is printed or dumped, but not how NCCL moves data.
bool is_neutral(std::string_view name) {
  constexpr std::array beginnings = {"NCCL_DEBUG", "NCCL_RAS_"};
  constexpr std::array names = {"NCCL_COMM_ID",
                                "NCCL_CONF_FILE",
                                "NCCL_GRAPH_DUMP_FILE",
                                "NCCL_GRAPH_DUMP_FILE_RANK",
                                "NCCL_HOSTID",
                                "NCCL_PROXY_DUMP_SIGNAL",
                                "NCCL_SET_THREAD_NAME",
                                "NCCL_SOCKET_IFNAME",
                                "NCCL_TOPO_DUMP_FILE",
                                "NCCL_TOPO_DUMP_FILE_RANK",
                                "NCCL_WARN_ENABLE_DEBUG_INFO"};
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* beginning) { return name.starts_with(beginning); }) ||
         std::any_of(names.begin(), names.end(), [&](const char* other) { return name == other; });
}

std::string nccl_variables() {
  std::map<std::string_view, std::string_view> sorted;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (text.starts_with("NCCL_") && equals != std::string_view::npos &&
        !is_neutral(text.substr(0, equals))) {
      sorted.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  std::string all;
  for (const auto& [name, value] : sorted) {
    all.append(all.empty() ? "" : " ").append(name).append("=").append(value);
  }
  return all;
}

struct Described {
  std::mutex mutex;
  Parts parts;
};

Described& described() {
  static auto* const parts = new Described;  // outlives static kernels
  return *parts;
}

std::string one_line(std::string text) {
  for (char& c : text) {
    c = c == '\n' ? ' ' : c;
  }
  return text;
}

}  // namespace

void describe_machine(const std::string& part, std::function<std::string()> describe) {
  Described& all = described();
  const std::lock_guard lock(all.mutex);
  all.parts[part] = std::move(describe);
}

Machine this_machine() {
  Parts parts;
  {
    Described& all = described();
    const std::lock_guard lock(all.mutex);
    parts = all.parts;
  }
  parts["library"] = [] {
    return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
           std::to_string(version.patch);
  };
  parts["nccl variables"] = nccl_variables;
  parts[processor_part] = [] { return storage::processor_text() + ", " + std::to_string(processors()); };
  parts["search"] = [] { return std::to_string(search_version); };
  Machine machine;
  for (const auto& [part, describe] : parts) {
    std::string said;
    try {
      said = describe();
    } catch (const std::exception& error) {
      said = std::string("unknown: ") + error.what();
    }
    machine.emplace(part, as_kept(one_line(std::move(said))));
  }
  return machine;
}

int usable_processors(int thread) noexcept {
  cpu_set_t usable;
  const int count = ::sched_getaffinity(thread, sizeof usable, &usable) == 0
                        ? CPU_COUNT(&usable)
                        : static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, count);
}

std::string node_text() {
  if (const char* named = std::getenv("NCCL_HOSTID"); named != nullptr && *named != '\0') {
    return named;
  }
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  if (boot.empty()) {
    std::array<char, HOST_NAME_MAX + 1> host{};
    static_cast<void>(::gethostname(host.data(), host.size() - 1));
    boot = host.data();
  }
  return hex_text(StableHash().add(std::string_view(boot)).value());
}

void add_ranks_per_node(std::vector<Machine>& machines, const std::vector<std::string>& nodes) {
  for (std::size_t rank = 0; rank < std::min(machines.size(), nodes.size()); ++rank) {
    const auto count = std::count(nodes.begin(), nodes.end(), nodes[rank]);
    machines[rank][ranks_on_machine] = std::to_string(count);
  }
}

bool is_version(const std::string& part) {
  constexpr std::array names = {"cuda", "driver", "library", "nccl", "search"};
  return std::find(names.begin(), names.end(), part) != names.end();
}

Machine without_versions(Machine machine) {
  std::erase_if(machine, [](const auto& part) { return is_version(part.first); });
  return machine;
}

std::uint64_t machine_digest(const Machine& machine) {
  StableHash hash;
  for (const auto& [part, value] : machine) {
    hash.add(std::string_view(part)).add(std::string_view(value));
  }
  return hash.value();
}

}  // namespace contextual::detail
