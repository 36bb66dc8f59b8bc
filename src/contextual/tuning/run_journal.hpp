#pragma once

/// \file
/// The journal of a tuning run on rank 0: what another process needs to go on with it.

#include "contextual/journal/batch_record.hpp"
#include "contextual/journal/journal_file.hpp"
#include "contextual/journal/strikes.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::tuning {

/// Returns the folder of a region's journals.
detail::TrustedFolder journal_folder(const std::filesystem::path& cache_directory, const std::string& region);

/// Returns the name of the file in it that says what is in flight on a rank. `journal`: see Resumption::name.
std::string flight_file(const std::string& journal, int rank);

/// Returns when a line of a journal is safe, as the options say.
journal::Safety safety_of(const options::ResolvedOptions& options);

/// Returns what is in quarantine in some tuning of the region, of whatever kernels. Also counts deaths that
/// no tuning has taken in yet.
std::vector<Quarantined> quarantine_of(const std::filesystem::path& cache_directory,
                                       const std::string& region);

/// Files in `journal/<region>` of the cache directory, named after what the run is about: the batches, what
/// is in flight on each rank, and the assignments beside which a process has died. Not thread-safe.
class RunJournal {
 public:
  /// Reads what a process before this one has left. Throws Error if the region has ended the process twice
  /// with the defaults of all its kernels.
  RunJournal(const options::ResolvedOptions& options, const std::string& region, std::string_view timer,
             int rank_count);

  /// Returns what all ranks have to know of it, for Resumption.
  std::string told() const;
  /// Returns what it tells where no process before this one has left anything. Equal on all ranks whose
  /// machine and timer are those of rank 0.
  static std::string told_if_new(const options::ResolvedOptions& options, const std::string& region,
                                 std::string_view timer, int rank_count);
  /// Returns true if it has more to tell than that.
  bool tells_more() const;

  /// Begins to write, when all ranks have met: behind what was read if its heading is this one, else anew.
  void begin(const std::string& heading);
  void write(const journal::BatchRecord& record) { file_.append(to_line(record)); }
  /// What was read is not followed beyond its first `count` batches.
  void keep(std::size_t count) { file_.keep(count + 1); }

  /// A suspect has run alone, and the process lives.
  void clear(const std::string& assignment);

  /// Removes what is not needed any more, because the run has ended and there is nothing to go on with.
  void end();

  /// Returns why the journal is not written; empty while it is.
  const std::string& problem() const noexcept { return file_.problem(); }
  const std::filesystem::path& cache_directory() const noexcept { return folder_.root(); }

 private:
  void leave_out_open_comparison();
  void take_in_deaths(int rank_count, std::size_t batch_count);
  void throw_if_defaults_kill(const std::string& region) const;
  bool save_strikes() const;

  detail::TrustedFolder folder_;
  std::string name_;
  journal::JournalFile file_;
  std::string kernels_;  ///< see agreement::kernels_text
  journal::Strikes strikes_;
};

}  // namespace contextual::tuning
