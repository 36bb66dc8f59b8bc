#include "contextual/tuning/ever_new_keys.hpp"

#include "contextual/config/key_part_texts.hpp"

#include <contextual/bucket.hpp>
#include <contextual/detail/launch/kernel_core.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace contextual::tuning {

using detail::KernelCore;
using detail::ProblemSlot;

namespace {

/// A program whose shapes come from a list has met it by then, and one whose shapes never end has only begun.
constexpr std::size_t warned_at = 32;

/// The keys of a kernel in a region, each of the first problem that a run has tuned, as the texts of its
/// parts.
using SeenKeys = std::set<std::vector<std::string>>;

std::string part_name(const KernelCore& core, std::size_t part) {
  const std::vector<std::string>& names = core.traits().key_names;
  return part < names.size() ? names[part] : "part " + std::to_string(part + 1) + " of the key";
}

/// Of a part that is a size: "`contextual::bucket(M)` makes 8192 of 4131".
std::string advice(const std::string& name, const std::string& value) {
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
  if (error != std::errc() || end != value.data() + value.size() || size < 1 || size > 1'000'000'000'000) {
    return "";
  }
  const bool named = name.find(' ') == std::string::npos;
  const std::string what = named ? name : "n";
  return "`contextual::bucket(" + what + ")` makes " + std::to_string(bucket(size)) + " of " + value +
         ", `contextual::bucket(" + what + ", 512)` " + std::to_string(bucket(size, 512));
}

std::string warning(const std::string& region, const ProblemSlot& slot, const SeenKeys& seen,
                    const std::vector<std::string>& latest) {
  const KernelCore& core = *slot.found.members.front();
  std::vector<std::set<std::string>> of_part;  // the values of each part
  std::size_t most = 0;
  for (const std::vector<std::string>& key : seen) {
    of_part.resize(std::max(of_part.size(), key.size()));
    for (std::size_t part = 0; part < key.size(); ++part) {
      of_part[part].insert(key[part]);
      most = std::max(most, of_part[part].size());
    }
  }
  std::string changing;
  std::string how;
  for (std::size_t part = 0; part < of_part.size(); ++part) {
    if (of_part[part].size() * 2 <= most) {
      continue;
    }
    const std::string name = part_name(core, part);
    changing += (changing.empty() ? "" : " and ") + name;
    how = how.empty() && part < latest.size() ? advice(name, latest[part]) : how;
  }
  return "kernel \"" + slot.problem.name + "\": " + std::to_string(seen.size()) + " runs of region \"" +
         region + "\" have each tuned a new key, the latest " + slot.problem.key_text + "; what changes is " +
         changing + ". Where near values can share a config, put a range of them into the key" +
         (how.empty() ? "" : ": " + how);
}

}  // namespace

std::vector<std::string> ever_new_keys(std::uint32_t region_id, const std::string& region,
                                       const std::deque<ProblemSlot>& slots) {
  static auto* const mutex = new std::mutex;  // both outlive static tuners
  static auto* const known = new std::map<std::pair<std::uint32_t, std::string>, SeenKeys>;
  const std::lock_guard lock(*mutex);
  std::vector<std::string> warnings;
  std::set<std::string> noted;
  for (const ProblemSlot& slot : slots) {
    const bool tuned = slot.joined() && !slot.found.locked_config && slot.problem.config_count > 1 &&
                       !slot.found.members.empty();
    if (!tuned || !noted.insert(slot.problem.name).second) {
      continue;
    }
    SeenKeys& seen = (*known)[{region_id, slot.problem.name}];
    const std::vector<std::string> parts = detail::key_part_texts(slot.found.key_words);
    if (seen.size() < warned_at && seen.insert(parts).second && seen.size() == warned_at) {
      warnings.push_back(warning(region, slot, seen, parts));
    }
  }
  return warnings;
}

}  // namespace contextual::tuning
