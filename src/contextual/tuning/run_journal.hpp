#pragma once

/// \file
/// The journal of a tuning run on rank 0: what another process needs to go on with it.

#include "contextual/journal/journal_file.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::tuning {

/// Returns what is in quarantine in some tuning of the region, of whatever kernels. Also counts deaths that
/// no tuning has taken in yet.
std::vector<Quarantined> quarantine_of(const std::filesystem::path& cache_directory,
                                       const std::string& region);

/// A file in `journal/<region>` of the cache directory, named after what the run is about.
struct RunJournal {
  std::unique_ptr<journal::JournalFile> file{};
  /// What all ranks have to know of it: lines for journal::History, with line ends between them. Empty if no
  /// process before this one has left anything.
  std::string told{};

  /// Returns true if it is written.
  bool kept() const { return file && file->problem().empty(); }
};

/// Reads what a process before this one has left, and notes that this one begins. Throws Error if the region
/// has ended the process twice with the defaults of all its kernels.
RunJournal open_journal(const options::ResolvedOptions& options, const std::string& region,
                        std::string_view timer, int rank_count);

}  // namespace contextual::tuning
