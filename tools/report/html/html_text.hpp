#pragma once

/// \file
/// Text on a page: everything that comes from a log goes through `escaped`.

#include <string>
#include <string_view>

namespace contextual::log_report {

/// For element content and for attributes in double quotes.
std::string escaped(std::string_view text);

/// <name attributes>content</name>; `content` is markup already.
std::string element(std::string_view name, std::string_view content, std::string_view attributes = {});

/// A number for SVG: one decimal, a point whatever the locale, never "nan".
std::string svg_number(double value);

}  // namespace contextual::log_report
