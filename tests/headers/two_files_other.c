#include <hpart.h>

int64_t processors_in_other_file(const hpart_platform *platform);

int64_t processors_in_other_file(const hpart_platform *platform) { return hpart_platform_processors(platform); }
