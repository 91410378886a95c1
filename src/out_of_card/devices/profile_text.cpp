#include "out_of_card/devices/profile_text.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace hpart
{

namespace
{

constexpr std::string_view first_line = "hpart device profile 1";

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

class ProfileParser
{
  public:
    explicit ProfileParser(const std::string &file) : file_(file) {}

    void take(std::string_view line)
    {
        ++line_;
        if (line_ == 1) {
            if (line != first_line)
                fail("a device profile begins with ", in_quotes(first_line), ", this file with ", in_quotes(line));
            return;
        }
        if (line.empty() || line.front() == '#') return;
        if (std::any_of(line.begin(), line.end(), is_control)) fail("a control character in ", in_quotes(line));
        if (line.front() == '[')
            begin_section(line);
        else
            take_entry(line);
    }

    ProfileSections result() &&
    {
        if (line_ == 0) fail("the file is empty");
        return std::move(sections_);
    }

  private:
    template <typename... Parts> [[noreturn]] void fail(const Parts &...parts) const
    {
        hpart::fail(Status::format, file_, ":", line_, ": ", parts...);
    }

    void begin_section(std::string_view line)
    {
        if (line.size() < 3 || line.back() != ']') fail("a device is [WHAT IT IS], not ", in_quotes(line));
        const auto [place, is_new] = sections_.try_emplace(std::string(line.substr(1, line.size() - 2)));
        if (!is_new) fail("the device ", in_quotes(place->first), " stands here for the second time");
        section_ = &place->second;
    }

    void take_entry(std::string_view line)
    {
        constexpr std::string_view sign = " = ";
        const auto at = line.find(sign);
        const auto name = line.substr(0, at);
        if (at == std::string_view::npos || !is_profile_name(name))
            fail("an entry is NAME = VALUE, not ", in_quotes(line));
        if (section_ == nullptr) fail("the entry ", in_quotes(name), " stands before the first device");
        if (!section_->try_emplace(std::string(name), parse_value(line.substr(at + sign.size()))).second)
            fail("the entry ", in_quotes(name), " stands here for the second time");
    }

    ProfileValue parse_value(std::string_view text) const
    {
        if (!text.empty() && text.front() == '"') {
            if (text.size() < 2 || text.find('"', 1) != text.size() - 1)
                fail("a text begins and ends with a quotation mark and has none inside: ", in_quotes(text));
            return std::string(text.substr(1, text.size() - 2));
        }
        std::vector<double> numbers;
        for (;;) {
            const auto blank = std::min(text.find(' '), text.size());
            const auto number = parse_double(text.substr(0, blank));
            if (!number || !std::isfinite(*number)) fail(in_quotes(text.substr(0, blank)), " is no finite number");
            numbers.push_back(*number);
            if (blank == text.size()) return numbers;
            text.remove_prefix(blank + 1);
        }
    }

    const std::string &file_;
    std::int64_t line_ = 0;
    ProfileSections sections_;
    ProfileSection *section_ = nullptr;
};

std::string format_value(const ProfileValue &value)
{
    if (const auto *string = std::get_if<std::string>(&value)) return text('"', *string, '"');
    std::string out;
    for (const auto number : std::get<std::vector<double>>(value)) out += text(out.empty() ? "" : " ", number);
    return out;
}

} // namespace

bool is_profile_name(std::string_view name)
{
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '-';
    };
    return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

std::string profile_identity(std::string_view text)
{
    std::string out(text);
    for (auto &c : out)
        if (is_control(c) || c == '"') c = ' ';
    return out;
}

ProfileSections parse_profile(std::string_view content, const std::string &file)
{
    ProfileParser parser(file);
    while (!content.empty()) {
        const auto end = std::min(content.find('\n'), content.size());
        parser.take(content.substr(0, end));
        content.remove_prefix(std::min(end + 1, content.size()));
    }
    return std::move(parser).result();
}

std::string format_profile(const ProfileSections &sections)
{
    std::string out = text(first_line, '\n');
    for (const auto &[identity, section] : sections) {
        out += text('[', identity, "]\n");
        for (const auto &[name, value] : section) out += text(name, " = ", format_value(value), '\n');
    }
    return out;
}

} // namespace hpart
