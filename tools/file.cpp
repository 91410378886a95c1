#include "file.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "library.hpp"
#include "output.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
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

struct CallFile {
    std::string path, argument; // "": an input
    bool is_continued = false;
};

std::vector<CallFile> &files_of_call()
{
    static std::vector<CallFile> files;
    return files;
}

// True if two names are one regular file, or would become one.
bool are_one_file(const std::string &path, const std::string &other)
{
    namespace fs = std::filesystem;
    std::error_code error;
    if (fs::equivalent(path, other, error)) return fs::is_regular_file(path, error);
    if (fs::exists(path, error) || fs::exists(other, error)) return false;
    const auto target = [&](const std::string &name) {
        const auto whole = fs::weakly_canonical(fs::absolute(hpart::resolve_link(name), error), error);
        return error ? fs::path() : whole;
    };
    return !target(path).empty() && target(path) == target(other);
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
    return text("/proc/self/fd/", kept);
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
        claim_input(argument);
        return argument;
    }
    auto &kept = kept_inputs()[argument];
    if (!kept.empty()) return kept;
    if (argument == "-") {
        claim_input("/dev/stdin"); // it may be a file
        return kept = kept_copy(STDIN_FILENO, "the standard input");
    }
    const hpart::Descriptor pipe(::open(argument.c_str(), O_RDONLY | O_CLOEXEC));
    if (pipe.get() < 0) refuse("cannot read ", in_quotes(argument), ": ", std::generic_category().message(errno));
    return kept = kept_copy(pipe.get(), in_quotes(argument));
}

std::string input_name(const std::string &argument) { return argument == "-" ? "standard input" : in_quotes(argument); }

void check_read(hpart_status status, const std::string &argument)
{
    if (status == HPART_SUCCESS) return;
    const auto failure = library_failure(status);
    const std::string message = failure.what(), path = input_path(argument);
    if (path == argument || !message.starts_with(path)) throw failure;
    throw Failure(failure.exit_status(), input_name(argument) + message.substr(path.size()));
}

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

[[noreturn]] void refuse_replaced(const CallFile &output, const std::string &input)
{
    refuse(output.argument, " is ", in_quotes(output.path), ", which would replace the input ", in_quotes(input),
           "; name another file");
}

} // namespace

void claim_input(const std::string &path)
{
    for (const auto &file : files_of_call())
        if (!file.argument.empty() && !file.is_continued && are_one_file(path, file.path)) refuse_replaced(file, path);
    files_of_call().push_back({path, ""});
}

void claim_output(const std::string &argument, const std::string &path, bool is_continued)
{
    const CallFile output{path, argument, is_continued};
    for (const auto &file : files_of_call()) {
        if (!are_one_file(path, file.path)) continue;
        if (file.argument.empty()) refuse_replaced(output, file.path);
        refuse(argument, " is ", in_quotes(path), ", which is also the file of ", file.argument, "; name another file");
    }
    files_of_call().push_back(output);
}

void write_file(const std::string &path, std::string_view content)
{
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
    claim_output("-o", path);
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

namespace
{

std::vector<std::string> texts(const Report &report, const char *key)
{
    std::vector<std::string> found;
    for (const auto &row : report_rows(report, key)) found.push_back(report_text(row, "text"));
    return found;
}

PointNote note_of(const Report &row)
{
    PointNote note{report_text(row, "kind"), report_text(row, "processor"), report_int(row, "size").value_or(0),
                   report_text(row, "text")};
    note.half_width = report_double(row, "relative_half_width").value_or(note.half_width);
    note.samples = report_int(row, "samples").value_or(0);
    note.is_energy = report_int(row, "energy").value_or(0) == 1;
    note.is_by_budget = report_int(row, "by_budget").value_or(0) == 1;
    return note;
}

std::vector<std::int64_t> split_of(const Report &row)
{
    std::vector<std::int64_t> x;
    for (const double part : report_doubles(row, "distribution")) x.push_back(static_cast<std::int64_t>(part));
    return x;
}

ChosenSplit chosen_of(const Report &row)
{
    ChosenSplit chosen;
    chosen.objective = report_text(row, "objective");
    chosen.size = report_int(row, "size").value_or(0);
    chosen.x = split_of(row);
    chosen.value = report_double(row, "value").value_or(0);
    chosen.has_run = report_int(row, "measured").value_or(0) == 1;
    chosen.certified = report_double(row, "precision");
    return chosen;
}

// A comment may hold anything: shows one short line of it, without control characters.
std::string fit_for_a_line(std::string_view comment)
{
    constexpr std::size_t longest = 200;
    if (comment.size() <= longest) return one_line(comment);
    auto cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(comment[cut]) & 0xC0U) == 0x80U) --cut; // not inside a character
    return one_line(comment.substr(0, cut)) + "...";
}

} // namespace

bool is_no_measurement(std::string_view source)
{
    return source.starts_with("estimated") || source.starts_with("replayed");
}

std::string PointNote::line() const { return text(processor, " size ", size, " ", words); }

Facts facts_of(const hpart_platform *platform)
{
    Report report;
    check(hpart_platform_report(platform, Filled(report)));
    Facts facts;
    facts.measured = report_text(report, "measured");
    facts.time_doubt = report_text(report, "time_doubt");
    facts.has_sizes_of_search = report_int(report, "sizes_of_search").value_or(0) == 1;
    facts.energies = texts(report, "energies");
    for (const auto &row : report_rows(report, "memory_limits"))
        facts.memory_limits.emplace_back(report_text(row, "device"), report_int(row, "bytes").value_or(0));
    // A line that somebody edited may be of other processors.
    const auto is_of_others = [&](const ChosenSplit &chosen) {
        return static_cast<std::int64_t>(chosen.x.size()) != hpart_platform_processors(platform);
    };
    for (const auto &row : report_rows(report, "chosen")) facts.chosen.push_back(chosen_of(row));
    std::erase_if(facts.chosen, is_of_others);
    for (const auto &row : report_rows(report, "runs"))
        if (const auto seconds = report_double(row, "seconds")) facts.runs[split_of(row)].push_back(*seconds);
    for (const auto &row : report_rows(report, "notes")) facts.notes.push_back(note_of(row));
    return facts;
}

Platform read_platform(const std::string &path)
{
    Platform platform;
    check_read(hpart_platform_read(input_path(path).c_str(), Filled(platform)), path);
    if (const auto doubt = facts_of(platform.get()).time_doubt; !doubt.empty()) note_time_doubt(doubt);
    return platform;
}

std::vector<PointNote> Facts::notes_of(std::string_view kind) const
{
    std::vector<PointNote> found;
    std::ranges::copy_if(notes, std::back_inserter(found), [&](const PointNote &note) { return note.kind == kind; });
    return found;
}

std::pair<std::vector<std::int64_t>, double> Facts::fastest_run(std::int64_t size) const
{
    std::pair<std::vector<std::int64_t>, double> fastest{{}, std::numeric_limits<double>::infinity()};
    for (const auto &[x, seconds] : runs) {
        if (std::accumulate(x.begin(), x.end(), std::int64_t{0}) != size) continue;
        const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
        if (mean < fastest.second) fastest = {x, mean};
    }
    return fastest;
}

std::optional<ChosenSplit> Facts::chosen_split(std::string_view objective, std::int64_t size) const
{
    std::optional<ChosenSplit> last;
    for (const auto &one : chosen)
        if (one.objective == objective && one.size == size) last = one;
    return last;
}

bool Facts::is_split_of_method(std::string_view objective, std::int64_t size, std::string_view method,
                               const std::vector<std::int64_t> &x) const
{
    if (method == "exact" || !has_sizes_of_search || chosen_split(objective, size)) return true;
    const auto [least, most] = std::ranges::minmax(x);
    return method == "equal" && most - least <= 1;
}

std::string Facts::sizes_text() const
{
    if (!has_sizes_of_search) return "";
    return "The file has only the sizes that hpart tune measured. Splits are of these sizes; a full profile may give "
           "faster ones.\n";
}

std::string Facts::energy_source() const
{
    std::vector<std::string> sources;
    for (const auto &energy : energies) {
        auto source = fit_for_a_line(energy);
        if (!source.empty() && std::find(sources.begin(), sources.end(), source) == sources.end())
            sources.push_back(std::move(source));
    }
    // A file joined from several may mix sources: the warning names those that were not measured first.
    std::stable_partition(sources.begin(), sources.end(), is_no_measurement);
    if (sources.empty()) return {};
    return sources.front() + (sources.size() > 1 ? text(" (and ", sources.size() - 1, " more)") : "");
}

std::string facts_text(const ChosenSplit &chosen)
{
    const auto *const kind = hpart::find_objective(chosen.objective);
    const bool is_energy = kind != nullptr && kind->needs_energies;
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

} // namespace hpart_command
