#include "progress_bar.hpp"

#include "core/file.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>

#include <sys/ioctl.h>
#include <unistd.h>

namespace hpart_command
{

namespace
{
constexpr int bar_width = 30;
constexpr std::size_t columns_of_bar = 41, usual_columns = 80; // with the brackets and the percentage

std::size_t columns_of_text()
{
    winsize size{};
    const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > columns_of_bar;
    return (is_known ? size.ws_col : usual_columns) - columns_of_bar;
}
} // namespace

ProgressBar::ProgressBar() : visible_(::isatty(STDERR_FILENO) == 1) {}

void ProgressBar::attach(hpart_options *options)
{
    check(hpart_options_set_progress(options, &ProgressBar::told, this, nullptr));
}

void ProgressBar::set_part(double start, double share, std::string what)
{
    part_start_ = start;
    part_share_ = share;
    part_what_ = std::move(what);
    fraction_ = 0;
}

int ProgressBar::told(double fraction, const char *what, void *self) noexcept
{
    try {
        static_cast<ProgressBar *>(self)->draw(fraction, what);
    } catch (...) {
        return interrupted_by(); // a bar that cannot be drawn stops nothing
    }
    return interrupted_by();
}

void ProgressBar::draw(double fraction, const char *what)
{
    if (const auto warnings = std::exchange(warnings_, {}); !warnings.empty())
        hpart::write_all(STDERR_FILENO, warnings);
    if (!visible_) return;
    if (fraction >= 0) fraction_ = std::clamp(fraction, fraction_, 1.0); // else it is not known; no bar goes back
    const double done = part_start_ + part_share_ * fraction_;
    const auto filled = static_cast<std::size_t>(std::lround(done * bar_width));
    auto line = "\r\033[K[" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "] " +
                std::to_string(std::lround(done * 100)) + " %  ";
    line += one_line(part_what_.empty() ? what : part_what_.c_str()).substr(0, columns_of_text());
    drawn_ = hpart::write_all(STDERR_FILENO, line) == 0;
}

void ProgressBar::clear()
{
    if (drawn_) hpart::write_all(STDERR_FILENO, "\r\033[K");
    drawn_ = false;
}

} // namespace hpart_command
