#include "file.hpp"

#include "failure.hpp"

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

void replace_file(const std::string &path, std::string_view content)
{
    auto beside = path + ".XXXXXX";
    Descriptor file(::mkstemp(beside.data()));
    if (file.get() < 0) fail_write(path, errno);
    try {
        give_usual_permissions(file.get());
        write_open_file(file, content, path);
        if (std::rename(beside.c_str(), path.c_str()) != 0) fail_write(path, errno);
    } catch (...) {
        ::unlink(beside.c_str());
        throw;
    }
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

void write_file(const std::string &path, std::string_view content)
{
    struct stat info {
    };
    const bool exists = ::stat(path.c_str(), &info) == 0;
    // Links, devices and pipes are written to, not replaced.
    struct stat link {
    };
    const bool is_link = ::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
    if ((exists && !S_ISREG(info.st_mode)) || is_link) {
        Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        write_open_file(file, content, path);
        return;
    }
    if (exists && ::access(path.c_str(), W_OK) != 0) fail_write(path, errno);
    replace_file(path, content);
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
