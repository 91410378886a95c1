#include "file.hpp"

#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "failure.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hpart_command
{

namespace
{

// The standard input and pipes, copied to unnamed files that can be read again; by argument.
std::map<std::string, std::string> &kept_inputs()
{
    static std::map<std::string, std::string> paths;
    return paths;
}

// The files read so far: a result must not replace one.
std::vector<std::string> &inputs()
{
    static std::vector<std::string> paths;
    return paths;
}

std::string kept_copy(int input, const std::string &name)
{
    const hpart::Descriptor file(::memfd_create("input", 0));
    if (file.get() < 0) give_up("cannot keep ", name, ": ", std::generic_category().message(errno));
    std::array<char, 65536> buffer{};
    for (;;) {
        const auto got = ::read(input, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EBADF) refuse("cannot read ", name, ": it is closed");
        if (got < 0) refuse("cannot read ", name, ": ", std::generic_category().message(errno));
        if (got == 0) break;
        const int error = hpart::write_all(file.get(), {buffer.data(), static_cast<std::size_t>(got)});
        if (error != 0) give_up("cannot keep ", name, ": ", std::generic_category().message(error));
    }
    const int kept = ::dup(file.get()); // until the command ends
    if (kept < 0) give_up("cannot keep ", name, ": ", std::generic_category().message(errno));
    const auto path = text("/proc/self/fd/", kept);
    say_instead(path, name == "the standard input" ? "standard input" : name);
    return path;
}

bool is_pipe(const std::string &path)
{
    std::error_code ignored;
    return std::filesystem::is_fifo(path, ignored);
}

} // namespace

std::string input_path(const std::string &argument)
{
    if (argument != "-" && !is_pipe(argument)) {
        inputs().push_back(argument);
        return argument;
    }
    auto &kept = kept_inputs()[argument];
    if (!kept.empty()) return kept;
    if (argument == "-") return kept = kept_copy(STDIN_FILENO, "the standard input");
    const hpart::Descriptor pipe(::open(argument.c_str(), O_RDONLY | O_CLOEXEC));
    if (pipe.get() < 0) refuse("cannot read ", in_quotes(argument), ": ", std::generic_category().message(errno));
    return kept = kept_copy(pipe.get(), in_quotes(argument));
}

std::string input_name(const std::string &argument) { return argument == "-" ? "standard input" : in_quotes(argument); }

std::string read_file(const std::string &path)
{
    try {
        return hpart::read_file(input_path(path));
    } catch (const hpart::Error &error) {
        refuse(error.what());
    }
}

namespace
{

// The comment lines of a file, read once until it changes: a large one is all rows.
struct Comments {
    struct stat state = {};
    std::vector<std::string> lines;
};

bool are_same(const struct stat &one, const struct stat &other)
{
    return one.st_ino == other.st_ino && one.st_size == other.st_size && one.st_mtim.tv_sec == other.st_mtim.tv_sec &&
           one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

const std::vector<std::string> &comments_of(const std::string &path)
{
    static std::map<std::string, Comments> known;
    auto &comments = known[path];
    struct stat now = {};
    if (::stat(path.c_str(), &now) == 0 && are_same(now, comments.state)) return comments.lines;
    comments = {now, {}};
    const auto content = read_file(path);
    for (std::string_view rest = content; !rest.empty();) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (line.starts_with('#')) comments.lines.emplace_back(line.substr(0, line.find('\r')));
    }
    return comments.lines;
}

} // namespace

std::vector<std::string> lines_behind(std::string_view key, const std::string &path)
{
    std::vector<std::string> found;
    const auto input = input_path(path);
    if (!std::filesystem::is_regular_file(input)) return found;
    for (const auto &line : comments_of(input))
        if (line.starts_with(key)) found.push_back(line.substr(key.size()));
    return found;
}

bool has_sizes_of_search(const std::string &path)
{
    return !lines_behind("# sizes = those that a search measured", path).empty();
}

namespace
{

// As hpart tune writes it.
std::string line_of(const ChosenSplit &chosen)
{
    std::string x;
    for (const auto part : chosen.x) x += text(x.empty() ? "" : ",", part);
    return text(chosen.objective, " ", chosen.size, " = ", x, chosen.has_run ? " ran " : " predicted ",
                hpart::format_double(chosen.value),
                chosen.certified ? text(" certified ", *chosen.certified) : std::string(" not certified"));
}

// The sizes are those of a distribution, and the numbers can be.
bool is_sound(const ChosenSplit &chosen)
{
    std::int64_t left = chosen.size;
    for (const auto part : chosen.x) {
        if (part < 0 || part > left) return false;
        left -= part;
    }
    const bool is_known = std::ranges::any_of(std::array{"time", "sum-time", "energy", "total-energy"},
                                              [&](const char *name) { return chosen.objective == name; });
    return is_known && chosen.size > 0 && left == 0 && std::isfinite(chosen.value) && chosen.value >= 0 &&
           (!chosen.certified || (*chosen.certified > 0 && *chosen.certified < 1));
}

} // namespace

// A comment that begins so may be anyone's: a line that hpart tune would not write is none.
std::vector<ChosenSplit> chosen_splits(const std::string &path)
{
    std::vector<ChosenSplit> all;
    for (const auto &line : lines_behind("# chosen ", path)) {
        std::istringstream words(line);
        ChosenSplit one;
        std::string equals, x, origin, value, certificate, precision;
        words >> one.objective >> one.size >> equals >> x >> origin >> value >> certificate >> precision;
        std::istringstream parts(x);
        for (std::string part; std::getline(parts, part, ',');) one.x.push_back(hpart::parse_int(part).value_or(-1));
        one.value = hpart::parse_double(value).value_or(std::numeric_limits<double>::quiet_NaN());
        one.has_run = origin == "ran";
        if (certificate == "certified") one.certified = hpart::parse_double(precision);
        if (is_sound(one) && line_of(one) == line) all.push_back(std::move(one));
    }
    return all;
}

std::optional<ChosenSplit> chosen_split(const std::string &path, std::string_view objective, std::int64_t size)
{
    for (auto &one : chosen_splits(path))
        if (one.objective == objective && one.size == size) return one;
    return std::nullopt;
}

bool is_split_of_method(const std::string &path, std::string_view objective, std::int64_t size, std::string_view method,
                        const std::vector<std::int64_t> &x)
{
    if (method == "exact" || !has_sizes_of_search(path) || chosen_split(path, objective, size)) return true;
    const auto [least, most] = std::ranges::minmax(x);
    return method == "equal" && most - least <= 1;
}

std::string facts_text(const ChosenSplit &chosen)
{
    const bool is_energy = chosen.objective == "energy" || chosen.objective == "total-energy";
    return text(chosen.has_run ? "measured " : "predicted ",
                is_energy ? joules_text(chosen.value) : seconds_text(chosen.value), ", ",
                chosen.certified ? text("certified within ", percent_text(*chosen.certified))
                                 : std::string("not certified"));
}

std::string chosen_text(const ChosenSplit &chosen, const std::vector<std::int64_t> &x)
{
    if (chosen.x == x) return text("hpart tune chose this split: ", facts_text(chosen), ".\n");
    return text(
        "hpart tune chose another split for this size, ", distribution_text(chosen.x), ": ", facts_text(chosen), ".\n",
        chosen.has_run ? "It ran against the usual splits; the one above follows from single processors.\n" : "");
}

std::string sizes_of_search_text(const std::string &path)
{
    if (!has_sizes_of_search(path)) return "";
    return "The file has only the sizes that hpart tune measured. Splits are of these sizes; a full profile may give "
           "faster ones.\n";
}

void write_file(const std::string &path, std::string_view content)
{
    for (const auto &input : inputs()) {
        std::error_code error;
        if (std::filesystem::equivalent(path, input, error) && std::filesystem::is_regular_file(path, error))
            refuse("the output is ", in_quotes(path),
                   ", which was read: the result would replace it; name another file");
    }
    try {
        hpart::write_file(path, content);
    } catch (const hpart::Error &error) {
        give_up(error.what());
    }
}

void require_writable(const std::string &path)
{
    try {
        hpart::require_writable_file(path);
    } catch (const hpart::Error &error) {
        give_up(error.what());
    }
}

TemporaryFolder::TemporaryFolder()
{
    const char *parent = std::getenv("TMPDIR");
    path_ = text(parent != nullptr && *parent != '\0' ? parent : "/tmp", "/hpart.XXXXXX");
    if (::mkdtemp(path_.data()) == nullptr)
        give_up("cannot write ", in_quotes(path_), ": ", std::generic_category().message(errno));
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored; // nothing better can be done about a leftover
    std::filesystem::remove_all(path_, ignored);
}

} // namespace hpart_command
