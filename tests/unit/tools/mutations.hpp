#pragma once

/// \file
/// Damage to log files, the same in every run of the test.

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace report_test {

using Files = std::vector<std::string>;

/// Applies 1 to 4 of its mutations at a time: flipped bits, cut ends, inserted and removed bytes, lines that
/// are there twice, missing, exchanged or run into each other, values exchanged within a line or replaced by
/// one of another type or size, deep nesting, long lines.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  void mutate(Files& files);

 private:
  std::size_t below(std::size_t bound);  ///< 0 for bound 0; the same on all platforms

  // Each changes `file`; some do so by what is in `other`, which may be the same.
  void flip_bits(std::string& file, std::string& other);
  void cut(std::string& file, std::string& other);
  void insert_bytes(std::string& file, std::string& other);
  void remove_bytes(std::string& file, std::string& other);
  void repeat_or_remove_line(std::string& file, std::string& other);
  void exchange_lines(std::string& file, std::string& other);
  void splice(std::string& file, std::string& other);
  void replace_value(std::string& file, std::string& other);
  void exchange_values(std::string& file, std::string& other);
  void insert_nesting(std::string& file, std::string& other);
  void insert_long_line(std::string& file, std::string& other);

  std::mt19937_64 random_;
};

}  // namespace report_test
