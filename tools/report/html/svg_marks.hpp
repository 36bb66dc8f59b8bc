#pragma once

/// \file
/// What plots are made of, as SVG markup. Positions are in units of the view box, `plot_width` wide.

#include <cstddef>
#include <string>

namespace contextual::log_report {

inline constexpr double plot_width = 480;
inline constexpr double row_height = 20;

/// `text` is escaped here; `attributes` are markup.
std::string text_at(double x, double y, const std::string& text, const std::string& attributes = {});
std::string line(double x1, double y1, double x2, double y2, const std::string& css_class);
std::string circle(double x, double y, double radius, const std::string& css_class);
std::string rectangle(double x, double y, double width, double height, const std::string& css_class);

/// "30 ms": a tick's label, without digits that say nothing.
std::string tick_text(double ns);

/// One thing that is shown, with what a reader sees who points at it. `title` is escaped here; `content` is
/// markup.
std::string mark(const std::string& title, const std::string& content);

/// A plot with its caption. `kind` and the number of elements of class "mark" are attributes that a check of
/// the page can count.
std::string figure(const std::string& kind, std::size_t marks, const std::string& caption, double height,
                   const std::string& marks_markup, const std::string& legend);
std::string legend_entry(const std::string& css_class, const std::string& text);

}  // namespace contextual::log_report
