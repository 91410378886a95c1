// write_known_profile FILE: a device profile of this machine's devices with known rates, so that other programs measure nothing.
#include "known_device.hpp"

#include <cstdio>

int main(int argc, char **argv)
try {
    if (argc != 2) return 2;
    support::write_known_profile(argv[1]);
} catch (const std::exception &error) {
    std::fprintf(stderr, "write_known_profile: %s\n", error.what());
    return 1;
}
