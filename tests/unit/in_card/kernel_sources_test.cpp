// The text of the library's OpenCL kernels.
#include "support/data.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace
{

// A compiler for cores may be asked for a function of its own.
std::string without_guarded(std::string source)
{
    constexpr std::string_view guard = "#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))",
                               end = "#endif";
    for (auto at = source.find(guard); at != std::string::npos; at = source.find(guard))
        source.erase(at, source.find(end, at) + end.size() - at);
    return source;
}

// A function of the compiler that one driver takes for granted ends the process under another (Mesa's translation to SPIR-V).
TEST(KernelSources, CallOpenClAlone)
{
    int kernels = 0;
    for (const auto &file : std::filesystem::recursive_directory_iterator(support::repository("src/out_of_card"))) {
        if (!file.is_regular_file()) continue;
        std::stringstream text;
        text << std::ifstream(file.path()).rdbuf();
        const bool has_kernel = text.str().find("kernel void") != std::string::npos || file.path().extension() == ".cl";
        if (!has_kernel) continue;
        ++kernels;
        EXPECT_EQ(without_guarded(text.str()).find("__builtin_"), std::string::npos) << file.path();
    }
    EXPECT_GE(kernels, 4); // products of two kinds, exchanges of rows, factors of transforms
}

} // namespace
