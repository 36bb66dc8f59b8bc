#include "contextual/tuning/run_journal.hpp"

#include "contextual/agreement/kernels_digest.hpp"
#include "contextual/journal/history.hpp"
#include "contextual/journal/line_chain.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/journal_text.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace contextual::tuning {
namespace {

constexpr const char* ending = ".journal";

detail::TrustedFolder journal_folder(const std::filesystem::path& cache_directory,
                                     const std::string& region) {
  return {cache_directory, std::filesystem::path(storage::journals_folder) / storage::file_name_of(region)};
}

/// Equal for runs of which one may go on with the other, as far as rank 0 alone can tell, and for those that
/// differ in `always_tune` alone: what kills a process does so in both.
std::string file_name(const options::ResolvedOptions& options, const std::string& region,
                      std::string_view timer, int rank_count) {
  options::ResolvedOptions alike = options;
  alike.always_tune = false;
  return detail::hex_text(detail::StableHash()
                              .add(journal::format_version)
                              .add(std::string_view(region))
                              .add(std::string_view(alike.agreed_text()))
                              .add(timer)
                              .add(static_cast<std::uint64_t>(rank_count))
                              .add(detail::machine_digest(detail::this_machine()))
                              .value()) +
         ending;
}

/// Before format 4 a tuning had several files, of which these are its own.
void warn_of_older_files(const detail::TrustedFolder& folder) {
  std::set<std::string> tunings;
  for (const char* older : {".flight", ".strikes"}) {
    for (const std::string& file : folder.files(older)) {
      tunings.insert(file.substr(0, file.find('.')));
    }
  }
  for (const std::string& tuning : tunings) {
    detail::warn_once((folder.path() / tuning).string() +
                      ".*: what a tuning has left in an older format is not read, and stays until somebody "
                      "removes it, as `contextual-cache prune --older-than` does");
  }
}

std::vector<std::string> lines_of_quarantine(const std::string& kernels,
                                             const std::vector<std::string>& quarantined) {
  if (quarantined.empty()) {
    return {};
  }
  return {journal::begin_line(kernels), journal::quarantine_line(quarantined)};
}

journal::History history_of(const std::vector<std::string>& lines) {
  journal::History history;
  for (const std::string& line : lines) {
    history.take_in(line);
  }
  return history;
}

journal::History history_in(const detail::TrustedFolder& folder, const std::string& file) {
  journal::History history;
  for (const journal::ChainedLine& line : journal::read_lines(folder.read(file).text.value_or(""))) {
    history.take_in(line.text);
  }
  return history;
}

}  // namespace

std::vector<Quarantined> quarantine_of(const std::filesystem::path& cache_directory,
                                       const std::string& region) {
  const detail::TrustedFolder folder = journal_folder(cache_directory, region);
  std::vector<Quarantined> all;
  for (const std::string& file : folder.files(ending)) {
    journal::Quarantine quarantine = history_in(folder, file).quarantine;
    quarantine.crash();
    for (std::string& assignment : quarantine.quarantined()) {
      all.push_back({quarantine.kernels(), std::move(assignment)});
    }
  }
  return all;
}

RunJournal::RunJournal(const options::ResolvedOptions& options, const std::string& region,
                       std::string_view timer, int rank_count)
    : folder_(journal_folder(options.cache_directory, region)),
      name_(file_name(options, region, timer, rank_count)),
      file_(folder_, name_,
            options.journal == Journal::synced ? journal::Safety::from_machine_end
                                               : journal::Safety::from_process_end,
            options.write_budget),
      kernels_(agreement::kernels_text()) {
  warn_of_older_files(folder_);
  std::vector<std::string> lines = file_.lines();
  if (!problem().empty()) {  // what another process is about to do says nothing
    const journal::Quarantine known = history_in(folder_, name_).quarantine;
    lines = lines_of_quarantine(known.kernels(), known.quarantined());
  }
  const bool tells = !lines.empty();
  lines.push_back(journal::begin_line(kernels_));
  const std::vector<std::string> quarantined = history_of(lines).quarantine.quarantined();
  if (std::any_of(quarantined.begin(), quarantined.end(), is_of_defaults)) {
    throw Error("region \"" + region +
                "\" has twice ended a process or broken a rank while all its kernels used their defaults, "
                "so there is nothing to fall back to. To run it again, remove " +
                (folder_.path() / name_).string());
  }
  file_.append(lines.back());
  for (std::size_t i = 0; tells && i < lines.size(); ++i) {
    told_.append(i == 0 ? "" : "\n").append(lines[i]);
  }
}

void RunJournal::end(const std::vector<std::string>& quarantined) {
  if (problem().empty()) {
    file_.end_with(lines_of_quarantine(kernels_, quarantined));
    if (!problem().empty()) {
      detail::warn_once(problem());
    }
  }
}

}  // namespace contextual::tuning
