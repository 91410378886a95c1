/* Groupings of cores as a C99 program sees them. */
#include "check.h"

enum { untouched = 12345 };

int main(void)
{
    char text[200];
    int64_t count = untouched, needed = 0;
    hpart_status status;
    CHECK_OK(hpart_grouping_count(NULL, &count));
    CHECK(count >= 1);
    CHECK_OK(hpart_grouping_describe(NULL, 0, text, sizeof text, &needed));
    CHECK(strncmp(text, "node ", 5) == 0 && needed == (int64_t)strlen(text) + 1);
    CHECK_OK(hpart_grouping_describe(NULL, 0, NULL, 0, &needed));
    CHECK_REFUSED(hpart_grouping_describe(NULL, count + 8, text, sizeof text, &needed), "k is");
    CHECK_REFUSED(hpart_grouping_describe(NULL, -1, text, sizeof text, &needed), "k is -1");
    CHECK_REFUSED(hpart_grouping_count(NULL, NULL), "count");
    count = untouched;
    status = hpart_grouping_count("package:2 core:2 pu:1", &count);
    if (status != HPART_ERR_UNSUPPORTED) {
        CHECK(status == HPART_SUCCESS && count == 3);
        CHECK_OK(hpart_grouping_describe("package:2 core:2 pu:1", 1, text, sizeof text, &needed));
        CHECK(strcmp(text, "socket 0-1 2-3") == 0);
        CHECK_REFUSED(hpart_grouping_count("nonsense", &count), "nonsense");
        CHECK_REFUSED(hpart_grouping_count("46464", &count), "at most 4096");
        CHECK_REFUSED(hpart_grouping_count("package:64 core:65 pu:1", &count), "at most 4096");
        CHECK_REFUSED(hpart_grouping_count("99999999999999999999", &count), "at most 4096");
        CHECK_OK(hpart_grouping_count("package:2(memory=64000000000) core:2 pu:1(indexes=3,2,1,0)", &count));
        CHECK(count == 3);
    }
    return check_result();
}
