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

constexpr int there_are_leaks = 3;
constexpr int most_looks = 5; // LeakSanitizer may crash itself, rarely

// False if there are any; LeakSanitizer prints them.
bool has_no_leaks()
{
    int status = 1;
    for (int look = 0; look < most_looks && status != 0; ++look) {
        const auto child = ::fork();
        if (child == 0) ::_exit(__lsan_do_recoverable_leak_check() == 0 ? 0 : there_are_leaks);
        ::waitpid(child, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == there_are_leaks) break;
    }
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
