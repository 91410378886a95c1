// The command for Python's ctypes, in a forked process.
#include "command.hpp"

#include <cstdlib>

extern "C" [[gnu::visibility("default"), noreturn]] void run_and_exit(int count, char **words)
{
    std::exit(hpart_command::run_command({words, words + count}));
}
