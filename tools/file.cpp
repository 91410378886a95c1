#include "file.hpp"

#include "failure.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hpart_command
{

namespace
{

std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor
{
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor()
    {
        if (number_ >= 0) ::close(number_);
    }
    int get() const { return number_; }
    // A full disk may show only here.
    bool close()
    {
        const int number = number_;
        number_ = -1;
        return ::close(number) == 0;
    }

  private:
    int number_;
};

[[noreturn]] void fail_write(const std::string &path, int error)
{
    give_up("cannot write ", in_quotes(path), ": ", reason(error));
}

void write_open_file(Descriptor &file, std::string_view content, const std::string &path)
{
    if (file.get() < 0 || !write_all(file.get(), content) || !file.close()) fail_write(path, errno);
}

// The usual permissions of a new file: mkstemp's are narrower. The mask can only be read by setting it.
void give_usual_permissions(int descriptor)
{
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(descriptor, 0666U & ~mask);
}

// A new file beside the path, which is where it gets its name from.
Descriptor create_beside(const std::string &path, std::string &beside)
{
    beside = path + ".XXXXXX";
    const int file = ::mkstemp(beside.data());
    if (file < 0) fail_write(path, errno);
    return Descriptor(file);
}

void replace_file(const std::string &path, std::string_view content)
{
    std::string beside;
    Descriptor file = create_beside(path, beside);
    try {
        give_usual_permissions(file.get());
        write_open_file(file, content, path);
        if (std::rename(beside.c_str(), path.c_str()) != 0) fail_write(path, errno);
    } catch (...) {
        ::unlink(beside.c_str());
        throw;
    }
}

// Links, devices and pipes are written to, not replaced.
bool is_written_to(const std::string &path)
{
    struct stat info {
    };
    if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) return true;
    return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

} // namespace

bool write_all(int descriptor, std::string_view content)
{
    while (!content.empty()) {
        const auto written = ::write(descriptor, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

std::string read_file(const std::string &path)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) refuse("cannot read ", in_quotes(path), ": ", reason(errno));
    std::string content;
    std::array<char, 65536> buffer{};
    for (;;) {
        const auto got = ::read(file.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) refuse("cannot read ", in_quotes(path), ": ", reason(errno));
        if (got == 0) return content;
        content.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

std::vector<std::string> lines_behind(std::string_view key, const std::string &path)
{
    std::vector<std::string> found;
    if (!std::filesystem::is_regular_file(path)) return found;
    const auto content = read_file(path);
    for (std::string_view rest = content; !rest.empty();) {
        const auto line = rest.substr(0, rest.find_first_of("\r\n"));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (line.starts_with(key)) found.emplace_back(line.substr(key.size()));
    }
    return found;
}

void write_file(const std::string &path, std::string_view content)
{
    if (is_written_to(path)) {
        Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        write_open_file(file, content, path);
        return;
    }
    require_writable(path);
    replace_file(path, content);
}

void require_writable(const std::string &path)
{
    if (path.empty()) fail_write(path, ENOENT);
    struct stat info {
    };
    if (::stat(path.c_str(), &info) == 0) {
        if (S_ISDIR(info.st_mode)) fail_write(path, EISDIR);
        if (::access(path.c_str(), W_OK) != 0) fail_write(path, errno);
    } else if (errno != ENOENT) {
        fail_write(path, errno);
    }
    // Opening a pipe would wait for its reader, and a link's target is not made for nothing.
    if (is_written_to(path)) return;
    std::string beside;
    const Descriptor file = create_beside(path, beside);
    ::unlink(beside.c_str());
}

TemporaryFolder::TemporaryFolder()
{
    const char *parent = std::getenv("TMPDIR");
    path_ = text(parent != nullptr && *parent != '\0' ? parent : "/tmp", "/hpart.XXXXXX");
    if (::mkdtemp(path_.data()) == nullptr) fail_write(path_, errno);
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored; // nothing better can be done about a leftover
    std::filesystem::remove_all(path_, ignored);
}

} // namespace hpart_command
