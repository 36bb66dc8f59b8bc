#pragma once

/// \file
/// Assignments of configs beside which a process has died. Pure.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::journal {

/// Assignments are texts that mean the same in every process. One that was running alone when a process died,
/// and again when it was tried next, is in quarantine. One that may have been running is a suspect: it is to
/// be tried alone, and is none any more if that goes well.
class Strikes {
 public:
  /// Takes in that a process died while one of these was running.
  void add(const std::vector<std::string>& in_flight);

  bool suspect(const std::string& assignment) const { return count(assignment) > 0; }
  bool quarantined(const std::string& assignment) const { return count(assignment) >= deaths_to_quarantine; }
  /// Returns those in quarantine.
  std::vector<std::string> quarantined() const;
  bool empty() const noexcept { return counts_.empty(); }
  /// It has run alone, and the process lives. Returns true if it was a suspect and is none now.
  bool clear(const std::string& assignment);
  /// Forgets all that are only suspects.
  void forget_suspects();

  /// Forgets all, once: deaths after that count until `end_forgiving`, also in other processes, or a process
  /// that is started again and again with that option would never come further.
  void forgive();
  void end_forgiving() noexcept { forgiven_ = false; }
  /// Returns true if another process must know something of it.
  bool to_be_kept() const noexcept { return forgiven_ || !counts_.empty(); }

  /// Returns them as JSON. `kernels`: a text of what they are about.
  std::string to_text(const std::string& kernels) const;
  /// Returns what such a text is about.
  static std::string kernels_in(std::string_view text);
  /// Returns none where it is no such text, or is about other kernels.
  static Strikes parse(std::string_view text, const std::string& kernels);

 private:
  static constexpr int deaths_to_quarantine = 2;
  int count(const std::string& assignment) const;

  std::map<std::string, int> counts_;
  bool forgiven_ = false;  ///< in the tuning that is under way
};

}  // namespace contextual::journal
