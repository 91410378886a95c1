#include "core/characters.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace hpart
{

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    constexpr std::size_t longest = 40; // above any name's
    using Row = std::array<std::size_t, longest + 1>;
    if (std::max(a.size(), b.size()) > longest) return std::max(a.size(), b.size());
    Row before{}, row{}, next{};
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        next[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            next[j + 1] = std::min({row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
        }
        before = std::exchange(row, next);
    }
    return row[b.size()];
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names)
{
    constexpr std::size_t fewest_letters = 3;
    std::string_view nearest;
    auto least = 2 + word.size() / 4; // from so many changes on it is another word
    for (const auto name : names) {
        const bool is_part = word.size() >= fewest_letters && name.find(word) != std::string_view::npos;
        const bool is_plural = word.size() == name.size() + 1 && word.ends_with('s') && word.starts_with(name);
        const auto changes = is_plural ? 0 : is_part ? std::size_t{1} : edit_distance(word, name);
        if (changes >= least || changes >= word.size()) continue;
        least = changes;
        nearest = name;
    }
    return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names, std::string_view sentence)
{
    const auto name = nearest_name(word, names);
    std::string out(sentence);
    if (name.empty()) return out;
    if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
        out.front() = static_cast<char>(out.front() - 'a' + 'A');
    return "did you mean '" + std::string(name) + "'? " + out;
}

std::size_t utf8_length(std::string_view text)
{
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    if (text.empty() || (byte(0) >= 0x80 && byte(0) < 0xC2) || byte(0) > 0xF4) return 0;
    const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
    if (text.size() < length) return 0;
    for (std::size_t k = 1; k < length; ++k)
        if ((byte(k) & 0xC0U) != 0x80U) return 0;
    // Longer than need be, half of a pair of UTF-16, or above U+10FFFF.
    const bool wrong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xED && byte(1) > 0x9F) ||
                       (byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) > 0x8F);
    return wrong ? 0 : length;
}

std::string printable(std::string_view text, char replacement, std::string_view kept)
{
    std::string out;
    while (!text.empty()) {
        const auto length = utf8_length(text);
        const auto first = static_cast<unsigned char>(text.front());
        const bool is_control = length == 1
                                    ? first < 0x20 || first == 0x7F
                                    : length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
        if (length == 0 || (is_control && kept.find(text.front()) == std::string_view::npos))
            out += replacement;
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

} // namespace hpart
