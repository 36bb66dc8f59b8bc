#include "contextual/storage/choice_store.hpp"

#include "contextual/config/utf8_text.hpp"
#include "contextual/storage/choice_purpose.hpp"

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
#include <limits>
#include <set>
#include <utility>

namespace contextual::storage {
namespace {

constexpr int most_listings = 5;
constexpr std::size_t longest_name = 120;

constexpr std::size_t time_digits = 16;

bool is_entry_name(const std::string& file) {
  const std::string form = detail::hex_text(0) + "-" + detail::hex_text(0) + entry_ending;
  return file.size() == form.size() && file[time_digits] == '-' && file.ends_with(entry_ending) &&
         file.find_first_not_of("0123456789abcdef") == time_digits &&
         file.find_first_not_of("0123456789abcdef", time_digits + 1) == 2 * time_digits + 1;
}

/// Of such a name, in nanoseconds.
std::uint64_t time_in(const std::string& file) {
  return std::stoull(file.substr(0, time_digits), nullptr, 16);
}

/// The choice as an entry has it, or null.
const KeptChoice* find_choice(const ChoiceEntry& entry, std::uint64_t digest) {
  const auto found = std::find_if(entry.choices.begin(), entry.choices.end(),
                                  [&](const KeptChoice& kept) { return choice_digest(kept) == digest; });
  return found == entry.choices.end() ? nullptr : &*found;
}

void add_infeasible(const std::vector<Infeasible>& known, ChoiceEntry& entry) {
  for (const Infeasible& one : known) {
    const bool is_new =
        std::find(entry.infeasible.begin(), entry.infeasible.end(), one) == entry.infeasible.end();
    if (is_new && entry.infeasible.size() < most_infeasible) {
      entry.infeasible.push_back(one);
    }
  }
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> written_at(const std::string& file) {
  if (!is_entry_name(file)) {
    return std::nullopt;
  }
  constexpr auto latest = static_cast<std::uint64_t>(std::chrono::nanoseconds::max().count());
  const std::chrono::nanoseconds since_epoch(std::min(time_in(file), latest));
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
                                   [&](const ChoicePurpose& newer) { return newer.replaces(purpose); });
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
    if (parsed.entry && parsed.entry->region != detail::as_kept(region_)) {
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
  return kept_in(files(), [this](const std::string& file) {
    const std::string aside = file + damaged_ending;
    return folder_.rename(file, aside).empty() ? "; it is " + aside + " now" : std::string();
  });
}

ChoiceStore::Kept ChoiceStore::read() const {
  return kept_in(files(), [](const std::string&) { return std::string(); });
}

/// `damaged` returns what the problem of a damaged file ends with.
ChoiceStore::Kept ChoiceStore::kept_in(
    Files files, const std::function<std::string(const std::string& file)>& damaged) const {
  Kept kept{{}, std::move(files.refusals)};
  for (const Damaged& file : files.damaged) {
    kept.problems.push_back((path() / file.file).string() + " is not used: " + file.problem +
                            damaged(file.file));
  }
  for (Named& named : files.entries) {
    if (!named.superseded) {
      kept.entries.push_back(std::move(named.entry));
    }
  }
  return kept;
}

/// Later names come later in the order of texts, and no two processes or calls make the same one. A name that
/// is there may be of a clock that is ahead of this one.
std::string ChoiceStore::new_file_name() const {
  static std::atomic<std::uint64_t> next{0};
  auto time = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                             std::chrono::system_clock::now().time_since_epoch())
                                             .count());
  for (const std::string& name : folder_.files(entry_ending).names) {
    if (is_entry_name(name) && time_in(name) < std::numeric_limits<std::uint64_t>::max()) {
      time = std::max(time, time_in(name) + 1);
    }
  }
  std::array<char, 256> host{};
  static_cast<void>(::gethostname(host.data(), host.size() - 1));
  const std::uint64_t who = detail::StableHash()
                                .add(std::string_view(host.data()))
                                .add(static_cast<std::uint64_t>(::getpid()))
                                .add(next.fetch_add(1))
                                .value();
  return detail::hex_text(time) + "-" + detail::hex_text(who) + entry_ending;
}

/// What was known to be infeasible when they were chosen comes along.
void ChoiceStore::take_over_reasons(ChoiceEntry& entry, const std::vector<ChoiceEntry>& elsewhere) const {
  const auto reused = [](const KeptChoice& choice) { return choice.reused; };
  if (std::none_of(entry.choices.begin(), entry.choices.end(), reused)) {
    return;
  }
  const ChoicePurpose purpose(entry);
  const auto take_over = [&](const ChoiceEntry& earlier) {
    if (!purpose.same_machines(ChoicePurpose(earlier))) {
      return;
    }
    bool found = false;
    for (KeptChoice& choice : entry.choices) {
      const KeptChoice* kept = choice.reused ? find_choice(earlier, choice_digest(choice)) : nullptr;
      if (kept != nullptr) {
        choice.reason = kept->reason;
        choice.time_ns = kept->time_ns;
        choice.time_spread_ns = kept->time_spread_ns;
        choice.reused = false;  // the newest one counts
        found = true;
      }
    }
    if (found) {
      add_infeasible(earlier.infeasible, entry);
    }
  };
  for (const Named& named : files().entries) {
    take_over(named.entry);
  }
  std::for_each(elsewhere.begin(), elsewhere.end(), take_over);
}

std::string ChoiceStore::save(ChoiceEntry entry, const std::vector<ChoiceEntry>& elsewhere) const {
  take_over_reasons(entry, elsewhere);
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
