#include "file.hpp"

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
