/* One program of two files that both include hpart.h: nothing in it is defined twice. */
#include <hpart.h>

int64_t processors_in_other_file(const hpart_platform *platform);

int main(void)
{
    hpart_platform *platform = 0;
    int64_t count;
    if (hpart_platform_create(3, &platform) != HPART_SUCCESS) return 1;
    count = processors_in_other_file(platform);
    hpart_platform_destroy(platform);
    return count == 3 ? 0 : 1;
}
