/* The macros of HCLWattsUp around a kernel, as a code that was written for it has them. */
#include "check.h"

#include <hcl_wattsup.h>

static void write_recording(const char *path)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (file == NULL) return;
    fputs("# clock = script\nseconds,watts\n0,100\n1,100\n2,120\n", file);
    fclose(file);
}

int main(void)
{
    const char *path = "hcl_wattsup_test.csv";
    double energy = 0;
    int k;
    write_recording(path);
    for (k = 0; k < 2; ++k) {
        HCL_WATTSUP_START();
        energy = HCL_WATTSUP_STOP();
        CHECK(fabs(energy - 210) < 1e-9);
    }
    CHECK_OK(HCL_WATTSUP_START());
    CHECK_REFUSED(HCL_WATTSUP_START(), "started already");
    energy = HCL_WATTSUP_STOP();
    CHECK(fabs(energy - 210) < 1e-9);
    energy = HCL_WATTSUP_STOP();
    CHECK(isnan(energy));
    remove(path);
    CHECK_FAILS(HCL_WATTSUP_START(), HPART_ERR_IO, path);
    CHECK(isnan(HCL_WATTSUP_STOP()));
    CHECK(strstr(hpart_last_error(), path) != NULL); /* why START failed */
    return check_result();
}
