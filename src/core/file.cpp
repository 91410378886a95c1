#include "core/file.hpp"

#include "core/descriptor.hpp"
#include "core/error.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hpart
{

namespace
{

[[noreturn]] void fail_system(int error, const char *action, const std::string &path)
{
    fail(Status::io, "cannot ", action, " ", in_quotes(path), ": ", std::generic_category().message(error));
}

void write_all(int file, std::string_view content, const std::string &path)
{
    while (!content.empty()) {
        const auto written = ::write(file, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail_system(errno, "write", path);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
}

void synchronise(int file, const std::string &path)
{
    // Files that are no files, and file systems that do not write, have nothing to synchronise.
    if (::fsync(file) != 0 && errno != EINVAL && errno != EROFS) fail_system(errno, "write", path);
}

// A pattern for mkstemp in the target's folder: of its own, as the target's name may be as long as a name can be.
std::string beside(const std::string &target) { return target.substr(0, target.rfind('/') + 1) + ".hpart.XXXXXX"; }

// The file beside the target that becomes it; removed unless kept.
class TemporaryFile
{
  public:
    TemporaryFile(const std::string &target, mode_t mode) : path_(beside(target)), file_(::mkstemp(path_.data()))
    {
        if (file_.get() < 0) fail_system(errno, "write", target);
        if (::fchmod(file_.get(), mode) != 0) {
            const int error = errno;
            ::unlink(path_.c_str());
            fail_system(error, "write", target);
        }
    }
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;
    ~TemporaryFile()
    {
        if (!kept_) ::unlink(path_.c_str());
    }
    void write(std::string_view content, const std::string &target)
    {
        write_all(file_.get(), content, target);
        synchronise(file_.get(), target);
        if (file_.close() != 0) fail_system(errno, "write", target);
    }
    void become(const std::string &target)
    {
        if (::rename(path_.c_str(), target.c_str()) != 0) fail_system(errno, "write", target);
        kept_ = true;
    }

  private:
    std::string path_;
    Descriptor file_;
    bool kept_ = false;
};

mode_t current_umask()
{
    // There is no call that only reads it, and umask(2) is process-wide: /proc tells without a race.
    const std::string key = "\nUmask:";
    try {
        const auto status = read_file("/proc/self/status");
        const auto at = status.find(key);
        if (at != std::string::npos)
            return static_cast<mode_t>(std::strtoul(status.c_str() + at + key.size(), nullptr, 8));
    } catch (const Error &) {
        return 022;
    }
    return 022;
}

// A symbolic link stays one: what it names is replaced.
std::string resolve_link(const std::string &path)
{
    struct stat info {
    };
    if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return path;
    char *real = ::realpath(path.c_str(), nullptr);
    if (real == nullptr) return path;
    std::string target = real;
    std::free(real);
    return target;
}

} // namespace

std::string read_file(const std::string &path)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) fail_system(errno, "read", path);
    struct stat info {
    };
    if (::fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode)) fail_system(EISDIR, "read", path);
    // Devices such as /dev/zero never end.
    if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))
        fail(Status::io, "cannot read ", in_quotes(path), ": it is a device, not a file");
    std::string content;
    if (S_ISREG(info.st_mode) && info.st_size > 0) content.reserve(static_cast<std::size_t>(info.st_size) + 1);
    std::array<char, 65536> buffer{};
    for (;;) {
        const auto got = ::read(file.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_system(errno, "read", path);
        if (got == 0) return content;
        content.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

void write_file(const std::string &path, std::string_view content)
{
    const auto target = resolve_link(path);
    struct stat info {
    };
    const bool exists = ::stat(target.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) fail_system(EISDIR, "write", path);
    if (exists && !S_ISREG(info.st_mode)) { // a pipe or /dev/stdout: nothing to replace
        const Descriptor file(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
        if (file.get() < 0) fail_system(errno, "write", path);
        write_all(file.get(), content, path);
        return;
    }
    // A file that is not ours to write stays as it is, although its folder would let us replace it.
    if (exists && ::access(target.c_str(), W_OK) != 0) fail_system(errno, "write", path);
    TemporaryFile file(target, exists ? info.st_mode & 07777U : 0666U & ~current_umask());
    file.write(content, path);
    file.become(target);
}

void append_to_file(const std::string &path, std::string_view content)
{
    Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (file.get() < 0) fail_system(errno, "write", path);
    write_all(file.get(), content, path);
    synchronise(file.get(), path);
    if (file.close() != 0) fail_system(errno, "write", path);
}

void require_writable_folder(const std::string &path)
{
    const auto slash = path.rfind('/');
    const auto folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (::access(path.c_str(), F_OK) == 0 && ::access(path.c_str(), W_OK) != 0) fail_system(errno, "write", path);
    if (::access(folder.c_str(), W_OK) == 0) return;
    const int error = errno;
    fail(Status::io, "the file ", in_quotes(path),
         " cannot be written in its folder: ", std::generic_category().message(error));
}

} // namespace hpart
