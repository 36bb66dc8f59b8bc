#pragma once

/// \file
/// A file to which lines are appended, and which another process reads when the one that wrote it has died.
/// Each line is bound to all before it, so that none can be changed, left out or moved without notice.

#include "contextual/storage/descriptor.hpp"
#include "contextual/storage/write_budget.hpp"

#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/trusted_folder.hpp>
#include <contextual/options.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::journal {

/// Makes the lines of a file, in their order.
class LineChain {
 public:
  /// Returns the next line, with a digest before it and a line end behind it. `text` must not have one.
  std::string add(std::string_view text);

 private:
  detail::StableHash digest_;
};

/// Returns the texts of the lines up to the first one that is damaged, incomplete or out of place.
std::vector<std::string> read_lines(std::string_view file);

/// One process at a time has it open, as far as the file system can lock files. Not thread-safe.
class JournalFile {
 public:
  /// Opens the file, or makes it, and reads its lines; what follows the last right one is cut off. The rules
  /// of TrustedFolder decide whether it is believed. Where it cannot be used, `problem` says why, and the
  /// other functions do nothing.
  JournalFile(const detail::TrustedFolder& folder, const std::string& name, Journal safety,
              std::shared_ptr<storage::WriteBudget> budget = std::make_shared<storage::WriteBudget>());

  /// Returns why it is not written (any more), with its path; empty while it is.
  const std::string& problem() const noexcept { return problem_; }

  /// The lines that were there when it was opened, also where another process has it open.
  const std::vector<std::string>& lines() const noexcept { return lines_; }

  /// After a failure, or once the budget is spent, nothing is written any more. Waiting for the disk is not
  /// counted.
  void append(std::string_view text);
  /// Leaves these lines only, or no file where there are none. A process that dies meanwhile leaves all or
  /// these. Nothing can be appended any more.
  void end_with(const std::vector<std::string>& texts);

 private:
  std::string path() const { return (folder_.path() / name_).string(); }
  // These return what went wrong, or an empty text.
  std::string open();
  std::string cut();
  std::string write(const std::string& line);

  detail::TrustedFolder folder_;
  std::string name_;
  Journal safety_;
  std::shared_ptr<storage::WriteBudget> budget_;
  storage::Descriptor file_;
  std::vector<std::string> lines_;
  LineChain chain_;  ///< behind the last line
  std::string problem_;
};

}  // namespace contextual::journal
