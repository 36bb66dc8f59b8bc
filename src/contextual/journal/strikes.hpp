#pragma once

/// \file
/// Assignments of configs beside which a process has died. Pure.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::journal {

/// Assignments are texts (see journal::assignment_text). One that was running alone when a process died,
/// twice, is in quarantine. One that may have been running is a suspect: it is to be tried alone.
class Strikes {
 public:
  /// Takes in that a process died while one of these was running.
  void add(const std::vector<std::string>& in_flight);

  bool suspect(const std::string& assignment) const { return count(assignment) > 0; }
  bool quarantined(const std::string& assignment) const { return count(assignment) >= deaths_to_quarantine; }
  /// Returns those in quarantine.
  std::vector<std::string> quarantined() const;
  bool empty() const noexcept { return counts_.empty(); }
  /// Forgets those that are only suspects.
  void forget_suspects();

  std::string to_text() const;                  ///< as JSON
  static Strikes parse(std::string_view text);  ///< none where it is no such text

 private:
  static constexpr int deaths_to_quarantine = 2;
  int count(const std::string& assignment) const;

  std::map<std::string, int> counts_;
};

}  // namespace contextual::journal
