#include "command.hpp"

#include <algorithm>

#include <unistd.h>

int main(int argc, char **argv)
{
    const int exit_status = hpart_command::run_command({argv + std::min(argc, 1), argv + argc});
    // OpenBLAS's end, after ours, waits for its threads, which may still try to get memory. All is written: there is no need of it.
    if (hpart_command::has_limited_space()) ::_exit(exit_status);
    return exit_status;
}
