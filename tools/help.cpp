#include "help.hpp"

#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

namespace hpart_command
{

namespace
{

constexpr std::size_t narrowest = 60;

// 0: no terminal, or one that is too narrow to wrap.
std::size_t terminal_columns()
{
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < narrowest)
        return 0;
    return size.ws_col;
}

class HelpFormatter : public CLI::Formatter
{
  public:
    std::string make_option(const CLI::Option *option, bool is_positional) const override
    {
        return wrapped(CLI::Formatter::make_option(option, is_positional));
    }
    std::string make_subcommand(const CLI::App *sub) const override
    {
        return wrapped(CLI::Formatter::make_subcommand(sub));
    }
    std::string make_description(const CLI::App *app) const override
    {
        return wrapped(CLI::Formatter::make_description(app), 0);
    }
    std::string make_footer(const CLI::App *app) const override { return wrapped(CLI::Formatter::make_footer(app), 0); }

  private:
    std::string wrapped(const std::string &text) const { return wrapped(text, get_column_width()); }
    // Breaks each line at blanks; what follows is indented.
    std::string wrapped(const std::string &text, std::size_t indent) const
    {
        if (columns_ == 0) return text;
        std::string out;
        for (std::size_t begin = 0; begin < text.size();) {
            const auto end = std::min(text.find('\n', begin), text.size());
            auto line = text.substr(begin, end - begin);
            while (line.size() > columns_) {
                const auto blank = line.rfind(' ', columns_);
                if (blank == std::string::npos || blank <= indent || line.find_first_not_of(' ') > blank) break;
                out += line.substr(0, blank) + "\n";
                line = std::string(indent, ' ') + line.substr(blank + 1);
            }
            out += line;
            if (end < text.size()) out += "\n";
            begin = end + 1;
        }
        return out;
    }

    std::size_t columns_ = terminal_columns();
};

} // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

} // namespace hpart_command
