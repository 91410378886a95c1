#include "core/file_lock.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/file.hpp"

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hpart
{

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

} // namespace hpart
