#include "core/file.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#if __has_include(<link.h>)
#include <link.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
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

// While this lives, a file that grows beyond its limit (ulimit -f) is a failure of write, not the end of the process.
class SizeSignalHeld
{
  public:
    SizeSignalHeld()
    {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGXFSZ);
        ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    SizeSignalHeld(const SizeSignalHeld &) = delete;
    SizeSignalHeld &operator=(const SizeSignalHeld &) = delete;
    ~SizeSignalHeld()
    {
        if (raised_) {
            const struct timespec at_once = {0, 0};
            ::sigtimedwait(&signal_, nullptr, &at_once);
        }
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    void raised() { raised_ = true; }

  private:
    sigset_t signal_{}, before_{};
    bool raised_ = false;
};

void write_all(int file, std::string_view content, const std::string &path)
{
    if (const int error = hpart::write_all(file, content); error != 0) fail_system(error, "write", path);
}

void synchronise(int file, const std::string &path)
{
    // Files that are no files, and file systems that do not write, have nothing to synchronise.
    if (::fsync(file) != 0 && errno != EINVAL && errno != EROFS) fail_system(errno, "write", path);
}

// A pattern for mkstemp in the target's folder. It does not extend the target's name, which may have the maximum length.
std::string beside(const std::string &target) { return target.substr(0, target.rfind('/') + 1) + ".hpart.XXXXXX"; }

// The file beside the target that becomes it; removed unless kept.
class TemporaryFile
{
  public:
    explicit TemporaryFile(const std::string &target) : path_(beside(target)), file_(::mkstemp(path_.data()))
    {
        if (file_.get() < 0) fail_system(errno, "write", target);
    }
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;
    ~TemporaryFile()
    {
        if (!kept_) ::unlink(path_.c_str());
    }
    void set_mode(mode_t mode, const std::string &target)
    {
        if (::fchmod(file_.get(), mode) != 0) fail_system(errno, "write", target);
    }
    // A file that root replaces keeps its owner. Other users cannot give files away and need not.
    void try_set_owner(const struct stat &owner)
    {
        if (::fchown(file_.get(), owner.st_uid, owner.st_gid) != 0) return;
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
    // No call only reads it, and umask(2) is process-wide: /proc has it without a race.
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

// A folder or a file that is not ours to write stays as it is, although its folder would let us replace it.
void require_writable(const struct stat &info, const std::string &target, const std::string &path)
{
    if (S_ISDIR(info.st_mode)) fail_system(EISDIR, "write", path);
    if (::access(target.c_str(), W_OK) != 0) fail_system(errno, "write", path);
}

// The folder with all links followed, or "".
std::string folder_of(const std::string &path)
{
    std::error_code error;
    const auto folder = std::filesystem::canonical(std::filesystem::path(path).parent_path(), error).string();
    return error ? "" : folder;
}

// As a program's open files in /dev/fd.
bool is_in_proc(const std::string &path) { return folder_of(path).starts_with("/proc/"); }

// An open file of this program by its name, as /dev/stdout.
std::optional<int> own_descriptor(const std::string &path)
{
    if (folder_of(path) != text("/proc/", getpid(), "/fd")) return std::nullopt;
    const auto number = parse_int(std::filesystem::path(path).filename().string());
    if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(*number);
}

// Pipes and devices have nothing to replace.
bool is_replaced(const struct stat &info, const std::string &target)
{
    return S_ISREG(info.st_mode) && !is_in_proc(target);
}

} // namespace

std::string resolve_link(const std::string &path)
{
    constexpr int most_links = 40; // as Linux
    auto target = path;
    for (int k = 0; k < most_links; ++k) {
        if (is_in_proc(target)) return target;
        std::error_code error;
        const auto named = std::filesystem::read_symlink(target, error);
        if (error) return target;
        target = (std::filesystem::path(target).parent_path() / named).string();
    }
    fail_system(ELOOP, "write", path);
}

std::vector<std::string> names_in(const std::string &folder)
{
    std::vector<std::string> names;
    // GCC's directory_iterator ends the program where memory does.
    const std::unique_ptr<DIR, int (*)(DIR *)> open(::opendir(folder.c_str()), ::closedir);
    while (const auto *entry = open ? ::readdir(open.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

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
        if (got == 0) break;
        content.append(buffer.data(), static_cast<std::size_t>(got));
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (content.starts_with(byte_order_mark)) content.erase(0, byte_order_mark.size());
    return content;
}

std::string content_of_file(const std::string &path)
{
    try {
        return read_file(path);
    } catch (const Error &) {
        return {};
    }
}

std::string describe_file(const std::string &path)
{
    struct stat found = {};
    if (::stat(path.c_str(), &found) != 0) return "";
    std::tm date = {};
    ::gmtime_r(&found.st_mtim.tv_sec, &date);
    std::array<char, 64> changed{}, parts{}; // a program may be built twice in a second
    std::strftime(changed.data(), changed.size(), "%Y-%m-%d %H:%M:%S", &date);
    std::snprintf(parts.data(), parts.size(), "%09ld", static_cast<long>(found.st_mtim.tv_nsec));
    return text(printable(path), ": ", found.st_size, " bytes, changed ", changed.data(), ".", parts.data(), " UTC");
}

int write_all(int descriptor, std::string_view content)
{
    SizeSignalHeld signal;
    while (!content.empty()) {
        const auto written = ::write(descriptor, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const int error = errno;
            if (error == EFBIG) signal.raised();
            return error;
        }
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

void write_file(const std::string &path, std::string_view content)
{
    const auto target = resolve_link(path);
    struct stat info {
    };
    const bool exists = ::stat(target.c_str(), &info) == 0;
    if (exists) require_writable(info, target, path);
    if (exists && !is_replaced(info, target)) {
        const auto own = own_descriptor(target); // it goes on where it stands
        Descriptor file(own ? ::fcntl(*own, F_DUPFD_CLOEXEC, 0)
                            : ::open(target.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
        if (file.get() < 0) fail_system(errno, "write", path);
        write_all(file.get(), content, path);
        if (file.close() != 0) fail_system(errno, "write", path);
        return;
    }
    TemporaryFile file(target);
    if (exists) file.try_set_owner(info);
    file.set_mode(exists ? info.st_mode & 0777U : 0666U & ~current_umask(), path);
    file.write(content, path);
    file.become(target);
}

bool is_replaced_file(const std::string &path)
{
    const auto target = resolve_link(path);
    struct stat info {
    };
    return ::stat(target.c_str(), &info) == 0 ? is_replaced(info, target) : !is_in_proc(target);
}

void append_to_file(const std::string &path, std::string_view content)
{
    Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (file.get() < 0) fail_system(errno, "write", path);
    write_all(file.get(), content, path);
    synchronise(file.get(), path);
    if (file.close() != 0) fail_system(errno, "write", path);
}

void require_writable_file(const std::string &path)
{
    if (path.empty()) fail_system(ENOENT, "write", path);
    const auto target = resolve_link(path);
    struct stat info {
    };
    const bool exists = ::stat(target.c_str(), &info) == 0;
    if (!exists && errno != ENOENT) fail_system(errno, "write", path);
    if (exists) require_writable(info, target, path);
    if (exists && !is_replaced(info, target)) return;
    std::string name = beside(target);
    const Descriptor file(::mkstemp(name.data()));
    if (const int error = errno; file.get() < 0 && error == ENOENT) {
        std::error_code ignored;
        const bool is_there = std::filesystem::exists(std::filesystem::path(target).parent_path() / ".", ignored);
        fail(Status::io, "the file ", in_quotes(path), " cannot be written: its folder ",
             is_there ? "takes no new files" : "does not exist");
    }
    if (file.get() < 0)
        fail(Status::io, "the file ", in_quotes(path),
             " cannot be written in its folder: ", std::generic_category().message(errno));
    ::unlink(name.c_str());
}

namespace
{

// The lock's name has a fixed length (FNV-1a): the target's may have the maximum already.
std::string lock_of(const std::string &target)
{
    const auto name = target.rfind('/') + 1;
    std::uint64_t hash = 14695981039346656037U;
    for (const char letter : std::string_view(target).substr(name))
        hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211U;
    return target.substr(0, name) + ".hpart." + std::to_string(hash) + ".lock";
}

} // namespace

FileLock::FileLock(const std::string &target, std::chrono::milliseconds patience) : path_(lock_of(resolve_link(target)))
{
    constexpr std::chrono::milliseconds pause(2);
    const auto end = Clock::now() + patience;
    while (!take(target)) {
        if (Clock::now() >= end)
            fail(Status::io, "the file ", in_quotes(target),
                 " is being written by another call; wait for its end, or give "
                 "another file");
        Clock::sleep_for(pause);
    }
}

// False when another call holds it.
bool FileLock::take(const std::string &target)
{
    do {
        file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        if (file_.get() < 0)
            fail(Status::io, "cannot write beside ", in_quotes(target), ": ", std::generic_category().message(errno));
        if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    } while (!is_beside()); // else its holder has just removed it
    return true;
}

FileLock::~FileLock()
{
    if (file_.get() >= 0 && is_beside()) ::unlink(path_.c_str());
}

bool FileLock::is_beside() const
{
    struct stat opened {
    };
    struct stat named {
    };
    return ::fstat(file_.get(), &opened) == 0 && ::stat(path_.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

namespace
{

void add_once(std::vector<std::string> &list, std::string one)
{
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(std::move(one));
}

std::string joined(const std::vector<std::string> &list)
{
    std::string out;
    for (const auto &one : list) out += text(out.empty() ? "" : ", ", one);
    return out;
}

// "liba.so.2, liba.so.1 in the loader's folders, /usr/local/lib"
std::string places_of(const std::vector<std::string> &names)
{
    if (names.size() == 1) return names.front();
    std::vector<std::string> files, folders;
    for (const auto &name : names) {
        const auto slash = name.rfind('/');
        add_once(files, slash == std::string::npos ? name : name.substr(slash + 1));
        add_once(folders, slash == std::string::npos ? "the loader's folders" : name.substr(0, slash));
    }
    return text(joined(files), " in ", joined(folders));
}

// The path of a library that was found by its bare name, where the loader reports it. A library that is loaded already is found so,
// whatever its folder.
std::string place_of([[maybe_unused]] void *handle, const std::string &name)
{
#if __has_include(<link.h>)
    link_map *map = nullptr;
    if (name.find('/') == std::string::npos && dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void *>(&map)) == 0 &&
        *map->l_name != '\0')
        return map->l_name;
#endif
    return name;
}

} // namespace

DynamicLibrary::DynamicLibrary(const char *what, const std::vector<std::string> &names) : what_(what)
{
    std::string broken;
    for (const auto &name : names) {
        handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) {
            name_ = place_of(handle_, name);
            return;
        }
        // A library that exists but cannot be loaded is a better reason than a missing library.
        const auto *const error = dlerror();
        const std::string why = error != nullptr ? error : "unknown reason";
        const bool is_there = why.rfind(name + ": cannot open", 0) == std::string::npos;
        if (is_there && broken.empty()) broken = why;
    }
    if (!broken.empty()) fail(Status::unsupported, what_, " cannot be loaded: ", broken);
    fail(Status::unsupported, what_, " cannot be loaded: there is no ", places_of(names));
}

void *DynamicLibrary::find(const char *symbol) const { return dlsym(handle_, symbol); }

void *find_in_loaded(const char *file, const char *symbol)
{
    auto *const handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    return handle != nullptr ? dlsym(handle, symbol) : nullptr;
}

void *find_own(const char *file, const char *symbol)
{
    if (file == nullptr) return nullptr;
    if (auto *const found = find_in_loaded(file, symbol); found != nullptr) return found;
    return find_in_loaded(file_of(reinterpret_cast<const void *>(&find_own)).c_str(), symbol);
}

std::string file_of(const void *address)
{
    Dl_info found{};
    return dladdr(address, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname : "";
}

void *DynamicLibrary::symbol(const char *symbol) const
{
    auto *const address = find(symbol);
    if (address == nullptr)
        fail(Status::unsupported, what_, " (", name_, ") has no function ", symbol, ": its version is not supported");
    return address;
}

} // namespace hpart
