#pragma once

/// \file
/// The parts of plots as SVG markup. Positions are in units of the view box, which is `plot_width` wide.

#include <cstddef>
#include <string>

namespace contextual::log_report {

inline constexpr double plot_width = 480;
inline constexpr double row_height = 20;

/// Returns text at a position. Escapes `text`; `attributes` are markup.
std::string text_at(double x, double y, const std::string& text, const std::string& attributes = {});
std::string line(double x1, double y1, double x2, double y2, const std::string& css_class);
std::string circle(double x, double y, double radius, const std::string& css_class);
std::string rectangle(double x, double y, double width, double height, const std::string& css_class);

/// Returns the label of a tick, without needless digits, e.g. "30 ms".
std::string tick_text(double ns);

/// Returns one mark with the title that a reader sees when pointing at it. Escapes `title`; `content` is
/// markup.
std::string mark(const std::string& title, const std::string& content);

/// Returns a plot with its caption. `kind` and the number of marks become attributes, by which a check of the
/// page can count the elements of class "mark".
std::string figure(const std::string& kind, std::size_t marks, const std::string& caption, double height,
                   const std::string& marks_markup, const std::string& legend);
std::string legend_entry(const std::string& css_class, const std::string& text);

}  // namespace contextual::log_report
