#include "contextual/tuning/run_journal.hpp"

#include "contextual/agreement/kernels_digest.hpp"
#include "contextual/journal/history.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/journal_text.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <cstdint>
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

journal::History history_of(const std::vector<std::string>& lines) {
  journal::History history;
  for (const std::string& line : lines) {
    history.take_in(line);
  }
  return history;
}

}  // namespace

std::vector<Quarantined> quarantine_of(const std::filesystem::path& cache_directory,
                                       const std::string& region) {
  const detail::TrustedFolder folder = journal_folder(cache_directory, region);
  std::vector<Quarantined> all;
  for (const std::string& file : folder.files(ending)) {
    journal::Quarantine quarantine =
        history_of(journal::read_lines(folder.read(file).text.value_or(""))).quarantine;
    quarantine.crash();
    for (std::string& assignment : quarantine.quarantined()) {
      all.push_back({quarantine.kernels(), std::move(assignment)});
    }
  }
  return all;
}

RunJournal open_journal(const options::ResolvedOptions& options, const std::string& region,
                        std::string_view timer, int rank_count) {
  const detail::TrustedFolder folder = journal_folder(options.cache_directory, region);
  const std::string name = file_name(options, region, timer, rank_count);
  RunJournal opened{
      std::make_unique<journal::JournalFile>(folder, name, options.journal, options.write_budget)};
  std::vector<std::string> lines = opened.file->lines();
  const bool tells = !lines.empty();
  if (!opened.kept()) {  // what another process is about to do says nothing
    lines.push_back(journal::line_of(journal::Event::called_off));
  }
  lines.push_back(journal::line_of(journal::Event::begins, {agreement::kernels_text()}));
  const std::vector<std::string> quarantined = history_of(lines).quarantine.quarantined();
  if (std::any_of(quarantined.begin(), quarantined.end(), is_of_defaults)) {
    throw Error("region \"" + region +
                "\" has twice ended a process or broken a rank while all its kernels used their defaults, "
                "so there is nothing to fall back to. To run it again, remove " +
                (folder.path() / name).string());
  }
  opened.file->append(lines.back());
  for (std::size_t i = 0; tells && i < lines.size(); ++i) {
    opened.told.append(i == 0 ? "" : "\n").append(lines[i]);
  }
  return opened;
}

}  // namespace contextual::tuning
