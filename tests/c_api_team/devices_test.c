/* hpart_info and the devices. */
#include "check.h"

static void test_info(void)
{
    static const char *const keys[] = {"version",         "compiler",           "library.openblas", "library.fftw",
                                       "library.gsl",     "library.boost_math", "library.hwloc",    "library.opencl",
                                       "library.clblast", "library.vkfft",      "library.cuda",     "library.cublas",
                                       "library.cufft"};
    hpart_report *report = NULL;
    CHECK_OK(hpart_info(&report));
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; ++k) {
        char text[4096] = "";
        CHECK_OK(hpart_report_get_string(report, keys[k], text, sizeof text, NULL));
        CHECK(text[0] != '\0' && hpart_report_type(report, keys[k]) == HPART_REPORT_STRING);
        printf("%s: %s\n", keys[k], text);
    }
    CHECK(int_of(report, "cores") >= 1);
    hpart_report_destroy(report);
}

static void test_devices(void)
{
    const int64_t count = hpart_device_count();
    char text[512] = "untouched";
    int64_t needed = -5;
    CHECK(count >= 0);
    CHECK_REFUSED(hpart_device_describe(-1, text, sizeof text, &needed), "k is -1");
    CHECK_REFUSED(hpart_device_describe(count, text, sizeof text, &needed), "k is");
    CHECK(strcmp(text, "untouched") == 0 && needed == -5);
    if (count == 0) {
        printf("skipped: no OpenCL device\n");
        return;
    }
    CHECK_REFUSED(hpart_device_describe(0, NULL, 0, NULL), "both NULL");
    CHECK_OK(hpart_device_describe(0, NULL, 0, &needed));
    CHECK(needed > 10);
    CHECK_REFUSED(hpart_device_describe(0, text, 5, NULL), "capacity is 5");
    CHECK(strcmp(text, "untouched") == 0);
    CHECK_OK(hpart_device_describe(0, text, sizeof text, &needed));
    CHECK(strncmp(text, "opencl:0:0 ", 11) == 0);
    CHECK((int64_t)strlen(text) + 1 == needed);
    printf("%s\n", text);
}

int main(void)
{
    test_info();
    test_devices();
    return check_result();
}
