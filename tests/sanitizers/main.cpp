// GoogleTest's main, which looks for leaks before the process exits: later the threads of an OpenCL implementation are about to end, and
// LeakSanitizer, which reads their stacks, may crash.
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
#endif

int main(int count, char **words)
{
    testing::InitGoogleTest(&count, words);
    const int status = RUN_ALL_TESTS();
#ifdef HPART_LOOKS_FOR_LEAKS
    __lsan_do_leak_check();
#endif
    return status;
}
