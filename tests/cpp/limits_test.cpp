// Numbers and texts that only one of C++ and hpart.h can hold, and exceptions between the two.
#include <hpart.hpp>

#include <gtest/gtest.h>

#include <numeric>

namespace
{

constexpr std::int64_t large = std::int64_t{1} << 32;

struct own_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <typename Function> std::string message_of(hpart_status status, const Function &function)
{
    try {
        function();
    } catch (const hpart::error &error) {
        EXPECT_EQ(error.status(), status) << error.what();
        return error.what();
    }
    return "no error";
}

template <typename Function> void expect_refused(const std::string &words, const Function &function)
{
    const auto message = message_of(HPART_ERR_INVALID_ARGUMENT, function);
    EXPECT_NE(message.find(words), std::string::npos) << message;
}

TEST(CppLimits, AnyResultButZeroStops)
{
    const auto expect = [](const std::string &words, auto result) {
        hpart::team team;
        team.add("a", [result](std::int64_t) { return result; });
        const auto message = message_of(HPART_ERR_CALLBACK, [&] { team.execute({1}, {{"warmup", 0}}); });
        EXPECT_NE(message.find(words), std::string::npos) << message;
    };
    expect(" 256", 256);
    expect(" 2147483647", large);
    expect(" 2147483647", ~std::uint64_t{0});
    expect(" -2147483648", -large);
    expect("no error", std::uint64_t{0});
}

} // namespace
