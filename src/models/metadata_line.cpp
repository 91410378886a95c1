#include "models/metadata_line.hpp"

#include "models/misspelt_metadata.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

namespace hpart
{

namespace
{

constexpr std::string_view key_base_power = "base_power", key_kernel = "kernel", key_border_bytes = "border_bytes",
                           key_processors = "processors", key_link = "link", key_host_link = "host_link",
                           key_limits = "limits";

// Keys of the form "key subject first = value second = value".
struct PairKey {
    std::string_view key, first, second;
};
constexpr std::array<PairKey, 3> pair_keys = {
    {{key_link, "latency", "bandwidth"}, {key_host_link, "latency", "bandwidth"}, {key_limits, "smallest", "largest"}}};

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
    const auto second = take_setting(subject, pair.second);
    const auto first = second ? take_setting(subject, pair.first) : std::nullopt;
    if (!first || subject.empty())
        position.fail(in_quotes(text("# ", key, " ", rest)), " must read '# ", key,
                      key == key_link ? " FROM TO " : " PROCESSOR ", pair.first, " = NUMBER ", pair.second,
                      " = NUMBER'");
    pairs_.push_back({pair.key, std::string(subject), std::string(*first), std::string(*second), position.file,
                      position.line, position.column});
}

void Metadata::apply(Platform &platform, const std::vector<std::string> &names) const
{
    NameIndex index;
    for (const auto &name : names) index.emplace(name, static_cast<std::int64_t>(index.size()));
    if (base_power_) platform.set_base_power(*base_power_);
    if (border_bytes_) platform.set_border_bytes(*border_bytes_);
    platform.comments = comments_;
    if (kernel_) platform.set_kernel(*kernel_);
    for (const auto &pair : pairs_) {
        const auto at = pair.position();
        const std::string_view subject = pair.subject;
        if (pair.key == key_limits) {
            const auto found = index.find(subject);
            if (found == index.end()) at.fail("limits name the processor ", in_quotes(subject), ", which has no rows");
            const Limits limits{parse_size(pair.first, at, "smallest"), parse_size(pair.second, at, "largest")};
            if (limits.largest < limits.smallest) at.fail("largest is ", limits.largest, ", less than smallest");
            platform.set_limits(found->second, limits);
            continue;
        }
        const Link link{parse_quantity(pair.first, at, "latency", Sign::not_negative),
                        parse_quantity(pair.second, at, "bandwidth", Sign::positive, true)};
        if (pair.key == key_host_link) {
            const auto found = index.find(subject);
            if (found == index.end())
                at.fail("host_link names the processor ", in_quotes(subject), ", which has no rows");
            platform.set_host_link(found->second, link);
            continue;
        }
        const auto ends = splits_of(subject, index);
        if (ends.empty()) at.fail("link names ", in_quotes(subject), ", which is not two processors that have rows");
        if (ends.size() > 1)
            at.fail("link names ", in_quotes(subject), ", which may be read as different pairs of processors");
        const auto [from, to] = ends.front();
        if (from == to)
            at.fail("a link joins two processors, not ", in_quotes(names[static_cast<std::size_t>(from)]),
                    " with itself");
        if (platform.links().contains({from, to})) at.fail("the link ", in_quotes(subject), " is given twice");
        platform.set_link(from, to, link);
    }
}

std::string format_metadata(const Platform &platform)
{
    std::string out;
    for (const auto &comment : platform.comments) out += text("#", comment, "\n");
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
        if (!(processor.host_link == Link{}))
            pairs += text("# host_link ", processor.name, " latency = ", processor.host_link.latency_seconds,
                          " bandwidth = ", processor.host_link.bytes_per_second, "\n");
    }
    if (some_without_points) out += text("# processors = ", names, "\n");
    out += pairs;
    NameIndex index;
    for (std::int64_t i = 0; i < platform.count(); ++i) index.emplace(platform.processor(i).name, i);
    for (const auto &[ends, link] : platform.links()) {
        const auto subject = text(platform.processor(ends.first).name, " ", platform.processor(ends.second).name);
        if (splits_of(subject, index).size() > 1)
            fail_argument("the link ", in_quotes(subject),
                          " cannot be written: the names of the processors could be read as another pair");
        out +=
            text("# link ", subject, " latency = ", link.latency_seconds, " bandwidth = ", link.bytes_per_second, "\n");
    }
    return out;
}

} // namespace hpart
