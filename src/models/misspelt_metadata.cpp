#include "models/misspelt_metadata.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace hpart
{

namespace
{

using Words = std::vector<std::string>;

enum class Form : std::uint8_t { number, kernel, names, pair };

struct Key {
    std::string_view name, line;
    Form form;
};
constexpr std::array<Key, 10> keys = {
    {{"base_power", "# base_power = WATTS", Form::number},
     {"border_bytes", "# border_bytes = BYTES", Form::number},
     {"kernel", "# kernel = NAME DIMENSION=SIZE", Form::kernel},
     {"processors", "# processors = NAME,NAME", Form::names},
     {"link", "# link FROM TO latency = SECONDS bandwidth = BYTES_PER_SECOND", Form::pair},
     {"host_link", "# host_link PROCESSOR latency = SECONDS bandwidth = BYTES_PER_SECOND", Form::pair},
     {"link_energy", "# link_energy FROM TO joules_per_byte = JOULES", Form::pair},
     {"host_link_energy", "# host_link_energy PROCESSOR joules_per_byte = JOULES", Form::pair},
     {"node_power", "# node_power FIRST LAST watts = WATTS", Form::pair},
     {"limits", "# limits PROCESSOR smallest = SIZE largest = SIZE", Form::pair}}};

// Words between blanks; '=' is one by itself.
Words words_of(std::string_view text)
{
    Words words;
    bool inside = false;
    for (const char c : text) {
        const bool is_blank = c == ' ' || c == '\t' || c == '\r';
        if (!is_blank && c != '=' && inside)
            words.back() += c;
        else if (!is_blank)
            words.emplace_back(1, c);
        inside = !is_blank && c != '=';
    }
    return words;
}

std::string in_key_letters(std::string word)
{
    for (auto &c : word) c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return word;
}

// In a short word two letters make another one.
bool is_like(std::string_view word, std::string_view key)
{
    constexpr std::size_t shortest = 6;
    return edit_distance(word, key) <= (key.size() < shortest ? 1 : 2);
}

bool is_number(std::string_view word) { return parse_double(word).has_value(); }

// "latency = 1" or "latency 1", of any of the settings.
bool has_setting(const Words &words)
{
    constexpr std::array<std::string_view, 6> settings = {"latency", "bandwidth",       "smallest",
                                                          "largest", "joules_per_byte", "watts"};
    for (std::size_t k = 0; k + 1 < words.size(); ++k) {
        const auto value = words[k + 1] == "=" ? k + 2 : k + 1;
        if (std::find(settings.begin(), settings.end(), words[k]) != settings.end() && value < words.size() &&
            is_number(words[value]))
            return true;
    }
    return false;
}

// "A 3 9", with '=' anywhere.
bool ends_with_two_numbers(Words words)
{
    std::erase(words, "=");
    const auto count = words.size();
    return count > 2 && is_number(words[count - 1]) && is_number(words[count - 2]) && !is_number(words[0]);
}

// "dgemm n=512 k=512"
bool is_kernel_with_dimensions(const Words &words)
{
    if (words.size() < 4 || words.size() % 3 != 1) return false;
    for (std::size_t k = 1; k < words.size(); k += 3)
        if (words[k + 1] != "=" || !is_number(words[k + 2])) return false;
    return true;
}

// True if the words after a key-like word could be that key's value.
bool is_value_of(const Key &key, bool is_exact, const Words &words)
{
    if (words.empty()) return false;
    if (words.front() == "=" && key.form != Form::pair) return true;
    switch (key.form) {
    case Form::number: return is_number(words.front());
    case Form::kernel: return is_kernel_with_dimensions(words) || (is_exact && words.size() == 1);
    case Form::names: return words.size() == 1 && words.front().find(',') != std::string::npos;
    default: return has_setting(words) || ends_with_two_numbers(words);
    }
}

bool is_meant(const Key &key, const Words &words, std::size_t words_of_key)
{
    if (words.size() <= words_of_key) return false;
    std::string written = words[0];
    for (std::size_t k = 1; k < words_of_key; ++k) written += "_" + words[k];
    if (written.ends_with(':')) written.pop_back();
    const auto rest = Words(words.begin() + static_cast<std::ptrdiff_t>(words_of_key), words.end());
    return is_like(in_key_letters(written), key.name) && is_value_of(key, written == key.name, rest);
}

} // namespace

std::string meant_metadata(std::string_view comment)
{
    const auto words = words_of(comment);
    for (const auto &key : keys) {
        const bool in_two_words = key.name.find('_') != std::string_view::npos && is_meant(key, words, 2);
        if (in_two_words || is_meant(key, words, 1)) return std::string(key.line);
    }
    return {};
}

} // namespace hpart
