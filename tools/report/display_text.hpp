#pragma once

/// \file
/// Text from logs on its way to a terminal or a page: what is not printable is escaped, widths are counted in
/// columns, long text is shortened or wrapped. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// `text` with control characters, characters that change the writing direction and bytes that are no UTF-8
/// as visible escapes, and without what is behind `limit` bytes. So a name from a log can neither move a
/// terminal's cursor nor turn a line around.
std::string printable(std::string_view text, std::size_t limit = 16'384);

/// Columns that printable UTF-8 takes in a terminal. East Asian wide characters take two.
std::size_t columns_of(std::string_view text);

/// `text` in at most `columns` columns, its end replaced by "..." where it is longer. Cuts between
/// characters. Fewer than 4 columns cut without dots.
std::string shorten(std::string_view text, std::size_t columns);

/// `text` in at most `columns` columns, its middle replaced by "..." where it is longer.
std::string shorten_middle(std::string_view text, std::size_t columns);

/// Lines of at most `columns` columns, broken at spaces, else between characters. At least one line; at most
/// `max_lines`, the last one then ends with "...".
std::vector<std::string> wrap(std::string_view text, std::size_t columns, std::size_t max_lines = 1'000);

/// "12.3 us": four significant digits at most, the unit that fits. "?" for what is not finite.
std::string duration_text(double ns);

/// "+3.2 %", with the sign. "?" for what is not finite.
std::string percent_text(double fraction);

/// "12.3 x". "?" for what is not finite.
std::string factor_text(double factor);

/// Numbers from `first` to `last`, both included.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  friend bool operator==(const Range&, const Range&) = default;
};

std::vector<Range> ranges_of(const std::vector<std::int64_t>& sorted);

/// "0-3, 7, 9-12"; behind `max_ranges` ranges ", ...".
std::string ranges_text(const std::vector<Range>& ranges, std::size_t max_ranges = 12);

/// "rank 3" or "ranks 0-2, 5".
std::string ranks_text(const std::vector<Range>& ranges);
std::string ranks_text(const std::vector<std::int64_t>& sorted);

/// "1 line", "2 lines".
std::string count_text(std::uint64_t count, std::string_view singular, std::string_view plural = {});

}  // namespace contextual::log_report
