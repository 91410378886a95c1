#include "measurement/samples_file.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "measurement/diagnostics.hpp"

#include <algorithm>
#include <utility>

#include <sys/stat.h>

namespace hpart
{

namespace
{

struct PointOfLine {
    std::string_view processor;
    std::int64_t size;
};

PointOfLine read_line(std::string_view line, const std::string &path, std::int64_t number)
{
    const auto first = line.find(','), second = line.find(',', first + 1);
    const auto size =
        second == std::string_view::npos ? std::nullopt : parse_int(line.substr(first + 1, second - first - 1));
    if (!size || std::count(line.begin(), line.end(), ',') != 4)
        fail(Status::format, "the file ", in_quotes(path), ", line ", number, ", has ", in_quotes(line),
             " where there must be processor,size,repetition,seconds,outlier");
    return {line.substr(0, first), *size};
}

std::string lines_of_done_points(const std::string &path, const SamplesFile::IsDone &is_done)
{
    const auto content = read_file(path);
    const auto header = samples_header();
    if (content.empty()) return samples_header();
    if (!content.starts_with(header))
        fail(Status::format, "the file ", in_quotes(path), " is no file of samples: its first line is not ",
             in_quotes(trim(header)), "; give another file, or remove this one");
    std::string kept = header;
    std::int64_t number = 1;
    for (std::size_t begin = header.size(), end = 0; (end = content.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
        const auto line = std::string_view(content).substr(begin, end - begin);
        const auto [processor, size] = read_line(line, path, ++number);
        if (is_done(processor, size)) kept.append(line).append("\n");
    }
    return kept; // without a last line that was cut short
}

} // namespace

std::string samples_header() { return "processor,size,repetition,seconds,outlier\n"; }

std::string sample_lines(std::string_view processor, std::int64_t size, std::span<const double> seconds)
{
    const auto far = outliers(seconds);
    std::string out;
    for (std::size_t r = 0; r < seconds.size(); ++r)
        out += text(processor, ',', size, ',', r, ',', seconds[r], ',', far[r] ? 1 : 0, '\n');
    return out;
}

SamplesFile::SamplesFile(std::string path, const IsDone &is_done) : path_(std::move(path))
{
    struct stat info {
    };
    const bool exists = ::stat(path_.c_str(), &info) == 0 && S_ISREG(info.st_mode);
    write_file(path_, exists ? lines_of_done_points(path_, is_done) : samples_header());
}

void SamplesFile::append(std::string_view lines) const { append_to_file(path_, lines); }

} // namespace hpart
