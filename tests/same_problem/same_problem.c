/* The worked problem of figure 3.10: 4 processors; 16 takes 1 second, 31 takes 3. Argument: its platform file. */
#include <hpart.h>

#include <stdio.h>

static int failures;

static void expect(int condition, const char *what)
{
    if (condition) return;
    ++failures;
    fprintf(stderr, "FAILED: %s (%s)\n", what, hpart_last_error());
}

static void solve(const hpart_platform *platform, int64_t size, double expected)
{
    int64_t x[4] = {0, 0, 0, 0};
    double seconds = 0.0, again = 0.0;
    expect(hpart_partition_time(platform, size, NULL, x, &seconds) == HPART_SUCCESS, "partition_time");
    expect(seconds == expected, "the least time");
    expect(x[0] + x[1] + x[2] + x[3] == size, "the parts sum to the size");
    expect(hpart_platform_evaluate(platform, x, &again, NULL) == HPART_SUCCESS, "evaluate");
    expect(again == expected, "the distribution takes that time");
}

int main(int count, char **arguments)
{
    hpart_platform *platform = NULL;
    int64_t x[4];
    if (count != 2) return 2;
    expect(hpart_platform_read(arguments[1], &platform) == HPART_SUCCESS, "read");
    expect(hpart_platform_processors(platform) == 4, "four processors");
    solve(platform, 16, 1.0);
    solve(platform, 31, 3.0);
    expect(hpart_partition_time(platform, 65, NULL, x, NULL) == HPART_ERR_INFEASIBLE, "65 is more than all can take");
    hpart_platform_destroy(platform);
    return failures == 0 ? 0 : 1;
}
