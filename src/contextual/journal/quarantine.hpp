#pragma once

/// \file
/// Assignments of configs beside which a process has died. Pure.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace contextual::journal {

/// Assignments are texts that mean the same in every process. One that was running alone when a process died,
/// and again when it was tried next, is in quarantine. One that may have been running is a suspect: it is to
/// be tried alone, and is none any more if that goes well.
///
/// An assignment is a list of parts, one for each problem, whose last item is the id of a config: a text in
/// JSON,
/// `[["gemm","(128)","c0de",3],["copy","()","c0de",0]]`. Where two assignments that have one such part in
/// common, not of a default, have each ended a process that ran them alone, and that part has never come
/// back, the part by itself is in quarantine, and whatever has it. Otherwise a config that always crashes
/// would cost two processes for each partner.
///
/// All ranks, and whoever reads the journal later, come to the same by the same calls.
class Quarantine {
 public:
  /// A process begins: what was running has ended the one before. `kernels` is a text of what the
  /// assignments are about: what was known of other ones is forgotten.
  void begin(const std::string& kernels);
  /// These are in quarantine.
  void restore(const std::vector<std::string>& assignments);

  /// From now on the process may die of one of these.
  void about_to_run(std::vector<std::string> assignments) { running_ = std::move(assignments); }
  /// What is running has come back, and the process lives.
  void came_back();
  /// What is running has ended otherwise, which says nothing of it.
  void did_not_run() { running_.clear(); }
  /// The process has died of what is running.
  void crash();

  const std::vector<std::string>& running() const noexcept { return running_; }
  const std::string& kernels() const noexcept { return kernels_; }
  /// Returns true if it has come back, and no process has died of it since.
  bool proven(const std::string& assignment) const;
  bool suspect(const std::string& assignment) const;
  bool quarantined(const std::string& assignment) const;
  /// Returns those in quarantine, and parts, each as an assignment of its own.
  std::vector<std::string> quarantined() const;
  /// Returns true if there is not even a suspect.
  bool empty() const noexcept { return deaths_.empty(); }

 private:
  std::set<std::string> doubtful_parts_of(const std::string& assignment) const;

  struct Deaths {
    int count = 0;
    bool alone = false;  ///< in some of them nothing else was running
  };
  std::map<std::string, Deaths> deaths_;
  std::set<std::string> harmless_;  ///< what has come back, and its parts
  std::vector<std::string> running_;
  std::string kernels_;
};

}  // namespace contextual::journal
