#pragma once

/// \file
/// Text on a page: everything that comes from a log goes through `escaped`.

#include <string>
#include <string_view>

namespace contextual::log_report {

/// Escapes text for the content of elements and for attributes in double quotes.
std::string escaped(std::string_view text);

/// Returns <name attributes>content</name>. `content` must be markup already.
std::string element(std::string_view name, std::string_view content, std::string_view attributes = {});

/// Writes a number for SVG: with one decimal, with a point in any locale, and never as "nan".
std::string svg_number(double value);

}  // namespace contextual::log_report
