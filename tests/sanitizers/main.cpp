// GoogleTest's main. It looks for leaks in a forked process, which has one thread: LeakSanitizer may crash while it reads the memory of the
// threads of an OpenCL implementation.
#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__)
#define HPART_LOOKS_FOR_LEAKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HPART_LOOKS_FOR_LEAKS
#endif
#endif
#ifdef HPART_LOOKS_FOR_LEAKS
#include <sanitizer/lsan_interface.h>

#include <sys/wait.h>
#include <unistd.h>

namespace
{

bool has_looked = false;

// False if there are any; LeakSanitizer prints them.
bool has_no_leaks()
{
    const auto child = ::fork();
    if (child == 0) ::_exit(__lsan_do_recoverable_leak_check() == 0 ? 0 : 1);
    int status = 1;
    ::waitpid(child, &status, 0);
    has_looked = true;
    return status == 0;
}

} // namespace

// LeakSanitizer asks before each look, of which the last would be at the exit.
extern "C" int __lsan_is_turned_off() { return has_looked ? 1 : 0; } // NOLINT(bugprone-reserved-identifier)
#endif

int main(int count, char **words)
{
    testing::InitGoogleTest(&count, words);
    const int status = RUN_ALL_TESTS();
#ifdef HPART_LOOKS_FOR_LEAKS
    if (!has_no_leaks()) return 1;
#endif
    return status;
}
