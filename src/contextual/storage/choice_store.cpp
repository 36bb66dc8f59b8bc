#include "contextual/storage/choice_store.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <set>
#include <utility>

namespace contextual::storage {
namespace {

constexpr std::string_view ending = ".json";
constexpr std::size_t longest_name = 120;

/// Later names come later in the order of texts, and no two processes or calls make the same one.
std::string new_file_name() {
  static std::atomic<std::uint64_t> next{0};
  const auto now = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                  std::chrono::system_clock::now().time_since_epoch())
                                                  .count());
  std::array<char, 256> host{};
  static_cast<void>(::gethostname(host.data(), host.size() - 1));
  const std::uint64_t who = detail::StableHash()
                                .add(std::string_view(host.data()))
                                .add(static_cast<std::uint64_t>(::getpid()))
                                .add(next.fetch_add(1))
                                .value();
  return detail::hex_text(now) + "-" + detail::hex_text(who) + std::string(ending);
}

}  // namespace

std::string file_name_of(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    std::array<char, 4> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "%%%02X", static_cast<unsigned char>(c));
    name += plain ? std::string(1, c) : escaped.data();
  }
  if (name.size() > longest_name) {
    name = name.substr(0, longest_name - 17) + "." +
           detail::hex_text(detail::StableHash().add(std::string_view(text)).value());
  }
  return name.empty() ? "%" : name;
}

ChoiceStore::ChoiceStore(std::filesystem::path directory, const std::string& region)
    : region_(region), folder_(std::move(directory), "choices/" + file_name_of(region)) {}

ChoiceStore::Kept ChoiceStore::load() const {
  Kept kept;
  auto [names, refusal] = folder_.files(ending);
  if (!refusal.empty()) {
    kept.problems.push_back(std::move(refusal));
  }
  std::sort(names.begin(), names.end(), std::greater<>());
  std::set<std::uint64_t> known;
  for (const std::string& name : names) {
    const detail::TrustedFolder::Reading reading = folder_.read(name);
    if (!reading.text) {
      kept.problems.push_back(reading.refusal.empty() ? (path() / name).string() +
                                                            " is listed, but not there: it has been removed, "
                                                            "or a network file system shows it late"
                                                      : reading.refusal);
      continue;
    }
    ParsedEntry parsed = parse_entry(*reading.text);
    if (parsed.entry && parsed.entry->region != as_kept(region_)) {
      parsed = {std::nullopt, "it is of region \"" + parsed.entry->region + "\""};
    }
    if (!parsed.entry) {
      const std::string aside = name + ".damaged";
      const bool moved = folder_.rename(name, aside).empty();
      kept.problems.push_back((path() / name).string() + " is not used: " + parsed.problem +
                              (moved ? "; it is " + aside + " now" : ""));
      continue;
    }
    if (known.insert(parsed.entry->purpose_digest()).second) {
      kept.entries.push_back(*std::move(parsed.entry));
    }
  }
  return kept;
}

std::string ChoiceStore::save(const ChoiceEntry& entry) const {
  return folder_.write(new_file_name(), to_json(entry));
}

}  // namespace contextual::storage
