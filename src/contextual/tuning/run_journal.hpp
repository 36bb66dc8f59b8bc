#pragma once

/// \file
/// The journal of a tuning run on rank 0: what another process needs to go on with it.

#include "contextual/journal/journal_file.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::tuning {

/// Returns what is in quarantine in some tuning of the region, of whatever kernels. Also counts deaths that
/// no tuning has taken in yet.
std::vector<Quarantined> quarantine_of(const std::filesystem::path& cache_directory,
                                       const std::string& region);

/// A file in `journal/<region>` of the cache directory, named after what the run is about. Not thread-safe.
class RunJournal {
 public:
  /// Reads what a process before this one has left, and names what is left of other formats. Throws Error if
  /// the region has ended the process twice with the defaults of all its kernels.
  RunJournal(const options::ResolvedOptions& options, const std::string& region, std::string_view timer,
             int rank_count);

  /// Returns what all ranks have to know of it: lines for journal::History, with line ends between them.
  /// Empty if no process before this one has left anything.
  const std::string& told() const noexcept { return told_; }

  void write(const std::string& line) { file_.append(line); }

  /// The run has ended, and there is nothing to go on with. Leaves what is in quarantine.
  void end(const std::vector<std::string>& quarantined);

  /// Returns why the journal is not written; empty while it is.
  const std::string& problem() const noexcept { return file_.problem(); }
  const std::filesystem::path& cache_directory() const noexcept { return folder_.root(); }

 private:
  detail::TrustedFolder folder_;
  std::string name_;
  journal::JournalFile file_;
  std::string kernels_;  ///< see agreement::kernels_text
  std::string told_;
};

}  // namespace contextual::tuning
