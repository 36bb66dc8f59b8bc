#pragma once

/// \file
/// A file to which lines are appended, and which another process reads when the one that wrote it has died.

#include "contextual/journal/line_chain.hpp"
#include "contextual/storage/descriptor.hpp"
#include "contextual/storage/write_budget.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::journal {

/// When a line is safe.
enum class Safety {
  from_process_end,  ///< the system has it
  from_machine_end,  ///< the disk has it
};

/// One process at a time has it open, as far as the file system can lock files. Not thread-safe.
class JournalFile {
 public:
  /// Opens the file, or makes it, and reads its lines; what follows the last right one is cut off. The rules
  /// of TrustedFolder decide whether it is believed. Where it cannot be used, `problem` says why, and the
  /// other functions do nothing.
  JournalFile(const detail::TrustedFolder& folder, const std::string& name, Safety safety,
              std::shared_ptr<storage::WriteBudget> budget = std::make_shared<storage::WriteBudget>());

  /// Returns why it is not written (any more), with its path; empty while it is.
  const std::string& problem() const noexcept { return problem_; }

  /// The lines that were there when it was opened.
  const std::vector<std::string>& lines() const noexcept { return lines_; }

  /// After a failure, or once the budget is spent, nothing is written any more. Waiting for the disk, which
  /// Safety::from_machine_end asks for, is not counted.
  void append(std::string_view text);
  /// Leaves these lines only, or no file where there are none. A process that dies meanwhile leaves all or
  /// these. Nothing can be appended any more.
  void end_with(const std::vector<std::string>& texts);

 private:
  enum class Attempt { ended, removed_meanwhile };

  std::filesystem::path path() const { return folder_.path() / name_; }
  Attempt open();
  void read();
  void fail(const std::string& what);
  /// Returns what went wrong, or an empty text.
  std::string write(std::string_view line);

  detail::TrustedFolder folder_;
  std::string name_;
  Safety safety_;
  std::shared_ptr<storage::WriteBudget> budget_;
  storage::Descriptor file_;
  std::vector<std::string> lines_;
  LineChain chain_;  ///< behind the last line
  std::string problem_;
};

}  // namespace contextual::journal
