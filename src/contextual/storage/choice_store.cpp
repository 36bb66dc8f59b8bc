#include "contextual/storage/choice_store.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/warning.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>

namespace contextual::storage {
namespace {

constexpr int most_listings = 5;
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
  return detail::hex_text(now) + "-" + detail::hex_text(who) + entry_ending;
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> written_at(const std::string& file) {
  constexpr std::size_t word = 16;
  const std::string form = detail::hex_text(0) + "-" + detail::hex_text(0) + entry_ending;
  if (file.size() != form.size() || file[word] != '-' || !file.ends_with(entry_ending) ||
      file.find_first_not_of("0123456789abcdef") != word ||
      file.find_first_not_of("0123456789abcdef", word + 1) != 2 * word + 1) {
    return std::nullopt;
  }
  const std::chrono::nanoseconds since_epoch(std::stoull(file.substr(0, word), nullptr, 16));
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(since_epoch));
}

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
    : region_(region),
      folder_(std::move(directory), std::filesystem::path(choices_folder) / file_name_of(region)) {}

ChoiceStore::Files ChoiceStore::files() const {
  Files files;
  std::set<std::string> seen;
  std::vector<std::string> vanished = read_new(files, seen);
  for (int listing = 1; listing < most_listings && !vanished.empty(); ++listing) {
    vanished = read_new(files, seen);
  }
  for (const std::string& name : vanished) {
    files.refusals.push_back(
        (path() / name).string() +
        " is listed, but not there: it has been removed, or a network file system shows it late");
  }
  std::sort(files.entries.begin(), files.entries.end(),
            [](const Named& a, const Named& b) { return a.file > b.file; });
  std::vector<ChoicePurpose> counting;
  for (Named& named : files.entries) {
    ChoicePurpose purpose(named.entry);
    named.superseded = std::any_of(counting.begin(), counting.end(),
                                   [&](const ChoicePurpose& newer) { return newer.covers(purpose); });
    if (!named.superseded) {
      counting.push_back(std::move(purpose));
    }
  }
  return files;
}

/// Reads what has not been seen yet. Returns the files that are listed but not there.
std::vector<std::string> ChoiceStore::read_new(Files& files, std::set<std::string>& seen) const {
  std::vector<std::string> vanished;
  const auto [names, refusal] = folder_.files(entry_ending);
  if (!refusal.empty() && seen.insert(refusal).second) {
    files.refusals.push_back(refusal);
  }
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      continue;
    }
    const detail::TrustedFolder::Reading reading = folder_.read(name);
    if (!reading.text) {
      if (reading.refusal.empty()) {
        vanished.push_back(name);
        seen.erase(name);
      } else {
        files.refusals.push_back(reading.refusal);
      }
      continue;
    }
    ParsedEntry parsed = parse_entry(*reading.text);
    if (parsed.entry && parsed.entry->region != as_kept(region_)) {
      parsed = {std::nullopt, "it is of region \"" + parsed.entry->region + "\""};
    }
    if (parsed.of_other_version) {
      files.refusals.push_back((path() / name).string() + " is not used: " + parsed.problem);
    } else if (parsed.entry) {
      files.entries.push_back({name, *std::move(parsed.entry)});
    } else {
      files.damaged.push_back({name, parsed.problem});
    }
  }
  return vanished;
}

ChoiceStore::Kept ChoiceStore::load() const {
  Files files = this->files();
  Kept kept{{}, std::move(files.refusals)};
  for (const Damaged& damaged : files.damaged) {
    const std::string aside = damaged.file + damaged_ending;
    const bool moved = folder_.rename(damaged.file, aside).empty();
    kept.problems.push_back((path() / damaged.file).string() + " is not used: " + damaged.problem +
                            (moved ? "; it is " + aside + " now" : ""));
  }
  for (Named& named : files.entries) {
    if (!named.superseded) {
      kept.entries.push_back(std::move(named.entry));
    }
  }
  return kept;
}

std::string ChoiceStore::save(const ChoiceEntry& entry) const {
  const std::string name = new_file_name();
  std::string problem = folder_.write(name, to_json(entry));
  if (problem.empty()) {
    const ChoicePurpose purpose(entry);
    for (const Named& named : files().entries) {
      if (named.superseded && named.file < name && purpose.covers(ChoicePurpose(named.entry))) {
        static_cast<void>(folder_.remove(named.file));  // of another user: it stays, and does not count
      }
    }
  }
  return problem;
}

std::vector<ChoiceStore::PinFile> ChoiceStore::pin_files() const {
  auto [names, refusal] = folder_.files(pin_ending);
  std::sort(names.begin(), names.end());
  std::vector<PinFile> files;
  if (!refusal.empty() && folder_.may_hold(pin_ending)) {
    files.push_back({path(), {}, refusal + "; so what is pinned in " + path().string() + " is not known"});
  }
  for (const std::string& name : names) {
    const detail::TrustedFolder::Reading reading = folder_.read(name);
    if (reading.text || !reading.refusal.empty()) {
      files.push_back({path() / name, reading.text.value_or(""), reading.refusal});
    }
  }
  return files;
}

}  // namespace contextual::storage
