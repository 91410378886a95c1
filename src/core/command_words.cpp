#include "core/command_words.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

constexpr std::string_view word_blanks = " \t\r\n";
constexpr std::string_view operators = "|&;<>";
constexpr std::string_view escaped_in_quotes = "$`\"\\\n";

bool is_one_of(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

class Splitter
{
  public:
    explicit Splitter(std::string_view command) : command_(command), rest_(command) {}

    std::vector<std::string> split()
    {
        while (!rest_.empty()) take(next());
        end_word();
        if (words_.empty()) fail_parameter("command", " is ", in_quotes(command_), "; it must name a program");
        return std::move(words_);
    }

  private:
    char next()
    {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }
    void add(char c)
    {
        word_ += c;
        in_word_ = true;
    }
    void end_word()
    {
        if (in_word_) words_.push_back(std::move(word_));
        word_.clear();
        in_word_ = false;
    }
    void take(char c)
    {
        if (is_one_of(word_blanks, c)) return end_word();
        if (c == '\'' || c == '"') return quoted(c);
        if (c == '\\') return escape();
        if (is_one_of(operators, c))
            fail_parameter("command", " is ", in_quotes(command_), "; no shell reads it, so that '", c,
                           "' must be quoted, or the command be sh -c '...'");
        add(c);
    }
    void escape()
    {
        if (rest_.empty()) fail_parameter("command", " is ", in_quotes(command_), "; it must not end with a backslash");
        const char c = next();
        if (c != '\n') add(c);
    }
    void quoted(char quote)
    {
        in_word_ = true; // also when there is nothing between the quotes
        for (;;) {
            if (rest_.empty())
                fail_parameter("command", " is ", in_quotes(command_), "; the quote ", quote, " must be closed");
            const char c = next();
            if (c == quote) return;
            const bool escapes =
                quote == '"' && c == '\\' && !rest_.empty() && is_one_of(escaped_in_quotes, rest_.front());
            if (escapes)
                escape();
            else
                add(c);
        }
    }

    std::string_view command_, rest_;
    std::vector<std::string> words_;
    std::string word_;
    bool in_word_ = false;
};

bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           is_one_of("_-./:=,+@%{}^~#", c);
}

} // namespace

std::vector<std::string> split_command(std::string_view command) { return Splitter(command).split(); }

std::string join_command(const std::vector<std::string> &words)
{
    std::string line;
    for (const auto &word : words) {
        if (!line.empty()) line += ' ';
        if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
            line += word;
            continue;
        }
        line += '\'';
        for (const char c : word) {
            if (c == '\'')
                line += "'\\''";
            else
                line += c;
        }
        line += '\'';
    }
    return line;
}

} // namespace hpart
