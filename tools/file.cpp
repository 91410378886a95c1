#include "file.hpp"

#include "arguments.hpp"
#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "failure.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <sstream>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

namespace hpart_command
{

namespace
{

// The standard input, copied to an unnamed file that can be read again.
std::string &kept_input()
{
    static std::string path;
    return path;
}

// The files read so far: a result must not replace one.
std::vector<std::string> &inputs()
{
    static std::vector<std::string> paths;
    return paths;
}

void keep_standard_input()
{
    const hpart::Descriptor file(::memfd_create("standard input", 0));
    if (file.get() < 0) give_up("cannot keep the standard input: ", std::generic_category().message(errno));
    std::array<char, 65536> buffer{};
    for (;;) {
        const auto got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EBADF) refuse("cannot read the standard input: it is closed");
        if (got < 0) refuse("cannot read the standard input: ", std::generic_category().message(errno));
        if (got == 0) break;
        const int error = hpart::write_all(file.get(), {buffer.data(), static_cast<std::size_t>(got)});
        if (error != 0) give_up("cannot keep the standard input: ", std::generic_category().message(error));
    }
    const int kept = ::dup(file.get()); // until the command ends
    if (kept < 0) give_up("cannot keep the standard input: ", std::generic_category().message(errno));
    kept_input() = text("/proc/self/fd/", kept);
    say_instead(kept_input(), "standard input");
}

} // namespace

std::string input_path(const std::string &argument)
{
    if (argument != "-") {
        inputs().push_back(argument);
        return argument;
    }
    if (kept_input().empty()) keep_standard_input();
    return kept_input();
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

std::vector<std::string> lines_behind(std::string_view key, const std::string &path)
{
    std::vector<std::string> found;
    if (!std::filesystem::is_regular_file(input_path(path))) return found;
    const auto content = read_file(path);
    for (std::string_view rest = content; !rest.empty();) {
        const auto line = rest.substr(0, rest.find_first_of("\r\n"));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (line.starts_with(key)) found.emplace_back(line.substr(key.size()));
    }
    return found;
}

bool has_sizes_of_search(const std::string &path)
{
    return !lines_behind("# sizes = those that a search measured", path).empty();
}

std::vector<ChosenSplit> chosen_splits(const std::string &path)
{
    std::vector<ChosenSplit> all;
    for (const auto &line : lines_behind("# chosen ", path)) {
        std::istringstream words(line);
        ChosenSplit one;
        std::string equals, x, origin, value, certificate, precision;
        words >> one.objective >> one.size >> equals >> x >> origin >> value >> certificate >> precision;
        for (const auto part : split(x, ',')) one.x.push_back(hpart::parse_int(part).value_or(-1));
        const auto found = hpart::parse_double(value);
        // A comment that begins so may be anyone's.
        if (equals != "=" || !found || std::ranges::any_of(one.x, [](auto part) { return part < 0; })) continue;
        one.value = *found;
        one.has_run = origin == "ran";
        if (certificate == "certified") one.certified = hpart::parse_double(precision);
        all.push_back(std::move(one));
    }
    return all;
}

std::optional<ChosenSplit> chosen_split(const std::string &path, std::string_view objective, std::int64_t size)
{
    for (auto &one : chosen_splits(path))
        if (one.objective == objective && one.size == size) return one;
    return std::nullopt;
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
    return "The file has only the sizes that hpart tune measured. Baselines use these sizes; a full profile may give "
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
