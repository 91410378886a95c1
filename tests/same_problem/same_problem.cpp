// The worked problem of figure 3.10: 4 processors; 16 takes 1 second, 31 takes 3. Argument: its platform file.
#include <hpart.hpp>

#include <iostream>
#include <numeric>

namespace
{

int failures = 0;

void expect(bool condition, const char *what)
{
    if (condition) return;
    ++failures;
    std::cerr << "FAILED: " << what << '\n';
}

void solve(const hpart::platform &platform, std::int64_t size, double expected)
{
    const auto best = hpart::partition(platform, hpart::objective::time, size);
    expect(best.seconds == expected, "the least time");
    expect(std::accumulate(best.x.begin(), best.x.end(), std::int64_t{0}) == size, "the parts sum to the size");
    expect(platform.evaluate_seconds(best.x) == expected, "the distribution takes that time");
}

} // namespace

int main(int count, char **arguments)
{
    if (count != 2) return 2;
    try {
        const auto platform = hpart::platform::read(arguments[1]);
        expect(platform.processors() == 4, "four processors");
        solve(platform, 16, 1);
        solve(platform, 31, 3);
        hpart::partition(platform, hpart::objective::time, 65);
        expect(false, "65 is more than all can take");
    } catch (const hpart::infeasible &) {
        return failures == 0 ? 0 : 1;
    } catch (const hpart::error &error) {
        std::cerr << error.what() << '\n';
    }
    return 1;
}
