#include "help.hpp"

#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

namespace hpart_command
{

namespace
{

constexpr std::size_t narrowest = 60;

// Returns 0 without a terminal, or if the terminal is too narrow to wrap.
std::size_t terminal_columns()
{
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < narrowest)
        return 0;
    return size.ws_col;
}

// CLI11's versions format differently; the manual pages and the completions are made from this text.
class HelpFormatter : public CLI::FormatterBase
{
  public:
    std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode) const override
    {
        const auto positionals =
            app->get_options([](const CLI::Option *option) { return option->get_positional() && is_shown(option); });
        const auto options =
            app->get_options([](const CLI::Option *option) { return option->nonpositional() && is_shown(option); });
        const auto subcommands = app->get_subcommands([](const CLI::App *sub) { return !sub->get_name().empty(); });
        std::string text = wrapped(app->get_description() + "\n", 0) + "Usage: " + name + " [OPTIONS]";
        for (const auto *positional : positionals) text += " " + usage_of(positional);
        if (!subcommands.empty()) text += " SUBCOMMAND";
        text += "\n";
        if (!positionals.empty()) text += "\nPositionals:\n";
        for (const auto *positional : positionals)
            text += entry(positional->get_name(true, false) + value_of(positional), positional->get_description());
        text += "\nOptions:\n";
        for (const auto *option : options)
            text += entry(option->get_name(false, true) + value_of(option), option->get_description());
        if (!subcommands.empty()) text += "\nSubcommands:\n";
        for (const auto *sub : subcommands) text += entry(sub->get_name(), sub->get_description());
        const auto footer = app->get_footer();
        return text + "\n" + (footer.empty() ? footer : wrapped(footer + "\n", 0));
    }

  private:
    static constexpr std::size_t left_columns = 30;

    static bool is_shown(const CLI::Option *option) { return !option->get_group().empty(); }
    static bool is_list(const CLI::Option *option)
    {
        return option->get_expected_max() >= CLI::detail::expected_max_vector_size;
    }
    static std::string usage_of(const CLI::Option *positional)
    {
        const auto name = positional->get_name(true, false) + (is_list(positional) ? "..." : "");
        return positional->get_required() ? name : "[" + name + "]";
    }
    // " SIZES=64", what stands after the names of an option that takes a value.
    static std::string value_of(const CLI::Option *option)
    {
        std::string text;
        if (option->get_type_size() == 0) return text;
        if (!option->get_type_name().empty()) text += " " + option->get_type_name();
        if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
        if (is_list(option)) text += " ...";
        if (option->get_required()) text += " REQUIRED";
        return text;
    }
    std::string entry(const std::string &names, const std::string &meaning) const
    {
        auto line = "  " + names;
        if (line.size() < left_columns)
            line.resize(left_columns, ' ');
        else
            line += "\n" + std::string(left_columns, ' ');
        return wrapped(line + meaning + "\n", left_columns);
    }
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
