#include "models/metadata_line.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>
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

namespace
{

constexpr std::string_view key_base_power = "base_power", key_kernel = "kernel", key_border_bytes = "border_bytes",
                           key_processors = "processors", key_link = "link", key_host_link = "host_link",
                           key_limits = "limits", key_link_energy = "link_energy",
                           key_host_link_energy = "host_link_energy", key_node = "node_power";

// Keys of the form "key subject first = value second = value". The newer ones have one value: for older readers they are comments.
struct PairKey {
    std::string_view key, subject, first, second;
    bool names_two() const { return subject.find(' ') != std::string_view::npos; }
};
constexpr std::array<PairKey, 6> pair_keys = {{{key_link, "FROM TO", "latency", "bandwidth"},
                                               {key_host_link, "PROCESSOR", "latency", "bandwidth"},
                                               {key_limits, "PROCESSOR", "smallest", "largest"},
                                               {key_link_energy, "FROM TO", "joules_per_byte", ""},
                                               {key_host_link_energy, "PROCESSOR", "joules_per_byte", ""},
                                               {key_node, "FIRST LAST", "watts", ""}}};

const PairKey *find_pair_key(std::string_view key)
{
    const auto *found = std::find_if(pair_keys.begin(), pair_keys.end(), [&](const auto &k) { return k.key == key; });
    return found == pair_keys.end() ? nullptr : found;
}

template <typename Value>
void set_once(std::optional<Value> &target, Value value, std::string_view key, const TextPosition &position)
{
    if (target) position.fail(key, " is given twice");
    target = std::move(value);
}

// Takes "word = value" off the end of text; nothing when it does not end so.
std::optional<std::string_view> take_setting(std::string_view &text, std::string_view word)
{
    const auto equals = text.rfind('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const auto value = trim(text.substr(equals + 1));
    const auto before = trim(text.substr(0, equals));
    if (before.size() <= word.size() || before.substr(before.size() - word.size()) != word) return std::nullopt;
    const auto rest = before.substr(0, before.size() - word.size());
    if (rest.back() != ' ' && rest.back() != '\t') return std::nullopt;
    text = trim(rest);
    return value;
}

using NameIndex = std::unordered_map<std::string_view, std::int64_t>;

// The pairs of processors that "A B" can mean: names may have blanks inside.
std::vector<std::pair<std::int64_t, std::int64_t>> splits_of(std::string_view subject, const NameIndex &index)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    for (auto blank = subject.find(' '); blank != std::string_view::npos; blank = subject.find(' ', blank + 1)) {
        const auto from = index.find(subject.substr(0, blank));
        const auto to = index.find(subject.substr(blank + 1));
        if (from != index.end() && to != index.end()) out.emplace_back(from->second, to->second);
    }
    return out;
}

} // namespace

void Metadata::add_line(std::string_view line, const TextPosition &position)
{
    const auto content = trim(line);
    const auto word_end = std::min(content.find_first_of(" \t="), content.size());
    const auto key = content.substr(0, word_end);
    const auto rest = trim(content.substr(word_end));
    const bool is_assignment = !rest.empty() && rest.front() == '=';
    const auto value = is_assignment ? trim(rest.substr(1)) : std::string_view{};
    if (is_assignment && key == key_base_power) {
        set_once(base_power_, parse_quantity(value, position, key, Sign::not_negative), key, position);
    } else if (is_assignment && key == key_border_bytes) {
        set_once(border_bytes_, parse_quantity(value, position, key, Sign::not_negative), key, position);
    } else if (is_assignment && key == key_kernel) {
        position.accept([&] { check_kernel_text(std::string(value)); });
        set_once(kernel_, std::string(value), key, position);
    } else if (is_assignment && key == key_processors) {
        if (!processors_.empty()) position.fail(key, " is given twice");
        std::set<std::string_view> known;
        for (auto names = value;;) {
            const auto comma = names.find(',');
            const auto name = trim(names.substr(0, comma));
            position.accept([&] { check_processor_name(std::string(name)); });
            if (!known.insert(name).second) position.fail("processor ", in_quotes(name), " is named twice");
            processors_.emplace_back(name);
            if (comma == std::string_view::npos) break;
            names.remove_prefix(comma + 1);
        }
    } else if (find_pair_key(key) != nullptr && rest.find('=') != std::string_view::npos) {
        add_pair(key, rest, position);
    } else {
        if (const auto meant = meant_metadata(content); !meant.empty())
            position.fail(in_quotes(text("# ", content)), " is like metadata, but is none; did you mean '", meant,
                          "'? Begin a comment with another word");
        comments_.emplace_back(line);
    }
}

void Metadata::add_pair(std::string_view key, std::string_view rest, const TextPosition &position)
{
    const auto &pair = *find_pair_key(key);
    auto subject = rest;
    const bool has_second = !pair.second.empty();
    const auto second = has_second ? take_setting(subject, pair.second) : std::optional<std::string_view>("");
    const auto first = second ? take_setting(subject, pair.first) : std::nullopt;
    if (!first || subject.empty())
        position.fail(in_quotes(text("# ", key, " ", rest)), " must read '# ", key, " ", pair.subject, " ", pair.first,
                      " = NUMBER", has_second ? text(" ", pair.second, " = NUMBER") : "", "'");
    pairs_.push_back({pair.key, std::string(subject), std::string(*first), std::string(*second), position.file,
                      position.line, position.column});
}

void Metadata::apply(Platform &platform, const std::vector<std::string> &names) const
{
    NameIndex index;
    for (const auto &name : names) index.emplace(name, static_cast<std::int64_t>(index.size()));
    if (base_power_) platform.set_base_power(*base_power_);
    if (border_bytes_) platform.set_border_bytes(*border_bytes_);
    for (const auto &line : comments_)
        platform.facts.add_line(line, [&](std::string_view name) { return index.contains(name); });
    if (kernel_) platform.set_kernel(*kernel_);
    std::set<std::pair<std::string_view, std::pair<std::int64_t, std::int64_t>>> given;
    for (const auto &pair : pairs_) {
        const auto at = pair.position();
        const std::string_view subject = pair.subject;
        const auto &key = *find_pair_key(pair.key);
        if (!key.names_two()) {
            const auto found = index.find(subject);
            if (found == index.end())
                at.fail(pair.key, pair.key == key_limits ? " name" : " names", " the processor ", in_quotes(subject),
                        ", which has no rows");
            pair.set(platform, found->second, at);
            continue;
        }
        const auto ends = splits_of(subject, index);
        if (ends.empty())
            at.fail(pair.key, " names ", in_quotes(subject), ", which is not two processors that have rows");
        if (ends.size() > 1)
            at.fail(pair.key, " names ", in_quotes(subject), ", which may be read as different pairs of processors");
        const auto [from, to] = ends.front();
        if (from == to && pair.key != key_node)
            at.fail("a link joins two processors, not ", in_quotes(names[static_cast<std::size_t>(from)]),
                    " with itself");
        if (!given.insert({pair.key, ends.front()}).second)
            at.fail("the ", pair.key, " ", in_quotes(subject), " is given twice");
        pair.set(platform, from, to, at);
    }
}

void Metadata::Pair::set(Platform &platform, std::int64_t processor, const TextPosition &at) const
{
    auto link = platform.processor(processor).host_link;
    if (key == key_limits) {
        const Limits limits{parse_size(first, at, "smallest"), parse_size(second, at, "largest")};
        if (limits.largest < limits.smallest) at.fail("largest is ", limits.largest, ", less than smallest");
        platform.set_limits(processor, limits);
        return;
    }
    set_values(link, at);
    platform.set_host_link(processor, link);
}

void Metadata::Pair::set(Platform &platform, std::int64_t from, std::int64_t to, const TextPosition &at) const
{
    if (key == key_node) {
        const auto watts = parse_quantity(first, at, "watts", Sign::not_negative);
        at.accept([&] { platform.set_node({from, to, watts}); });
        return;
    }
    auto link = platform.link(from, to);
    set_values(link, at);
    platform.set_link(from, to, link);
}

void Metadata::Pair::set_values(Link &link, const TextPosition &at) const
{
    if (key == key_link_energy || key == key_host_link_energy) {
        link.joules_per_byte = parse_quantity(first, at, "joules_per_byte", Sign::not_negative);
        return;
    }
    link.latency_seconds = parse_quantity(first, at, "latency", Sign::not_negative);
    link.bytes_per_second = parse_quantity(second, at, "bandwidth", Sign::positive, true);
}

namespace
{

// A link between processors is written even if it costs nothing, unless it has an energy alone.
std::string link_lines(const Link &link, std::string_view key, const std::string &subject, bool always = false)
{
    const bool takes_time = link.latency_seconds > 0 || std::isfinite(link.bytes_per_second);
    std::string out;
    if (takes_time || (always && link.joules_per_byte == 0))
        out += text("# ", key, " ", subject, " latency = ", link.latency_seconds,
                    " bandwidth = ", link.bytes_per_second, "\n");
    if (link.joules_per_byte > 0)
        out += text("# ", key, "_energy ", subject, " joules_per_byte = ", link.joules_per_byte, "\n");
    return out;
}

} // namespace

std::string format_metadata(const Platform &platform)
{
    std::string out;
    for (const auto &line : platform.facts.lines()) out += text("#", line, "\n");
    if (platform.has_base_power()) out += text("# base_power = ", platform.base_power(), "\n");
    if (!platform.kernel().empty()) out += text("# kernel = ", platform.kernel(), "\n");
    if (platform.border_bytes() != 0) out += text("# border_bytes = ", platform.border_bytes(), "\n");

    std::string names, pairs;
    bool some_without_points = false;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &processor = platform.processor(i);
        names += text(i == 0 ? "" : ",", processor.name);
        some_without_points = some_without_points || processor.points().count() == 0;
        if (!(processor.limits == Limits{}))
            pairs += text("# limits ", processor.name, " smallest = ", processor.limits.smallest,
                          " largest = ", processor.limits.largest, "\n");
        pairs += link_lines(processor.host_link, "host_link", processor.name);
    }
    // The distributions of a search name no processor: their order is kept even if somebody sorts the rows.
    const bool has_distributions =
        !platform.facts.all<ChosenDistribution>().empty() || !platform.facts.all<ApplicationRun>().empty();
    if (some_without_points || has_distributions) out += text("# processors = ", names, "\n");
    out += pairs;
    NameIndex index;
    for (std::int64_t i = 0; i < platform.count(); ++i) index.emplace(platform.processor(i).name, i);
    const auto both = [&](const char *what, std::int64_t first, std::int64_t second) {
        auto subject = text(platform.processor(first).name, " ", platform.processor(second).name);
        if (splits_of(subject, index).size() > 1)
            fail_argument("the ", what, " ", in_quotes(subject),
                          " cannot be written: the names of the processors could be read as another pair");
        return subject;
    };
    for (const auto &[ends, link] : platform.links())
        out += link_lines(link, "link", both("link", ends.first, ends.second), true);
    for (const auto &node : platform.nodes())
        out += text("# node_power ", both("node", node.first, node.last), " watts = ", node.watts, "\n");
    return out;
}

} // namespace hpart
