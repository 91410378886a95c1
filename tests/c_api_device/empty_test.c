/* Operands without elements, whose other size may be anything: each operation succeeds at once and touches nothing. */
#include "devices.h"

enum { row = 101, column = 102, no = 111, yes = 112, left = 141, right = 142, upper = 121, lower = 122, plain = 131 };

static double *const nowhere = NULL;
static const int64_t sizes[] = {0, 1, 1000000, 1000000000000000000};

/* m x n operands of which one size is 0. */
static void empty(hpart_device *device, int32_t layout, int64_t m, int64_t n)
{
    const int64_t ld = 1000000000000000000;
    CHECK_OK(hpart_dgemm(device, layout, no, no, m, n, 0, 1, nowhere, ld, nowhere, ld, 1, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dtrsm(device, layout, m == 0 ? left : right, lower, no, plain, m, n, 2, nowhere, ld, nowhere, ld,
                         NULL, NULL));
    CHECK_OK(hpart_dgetrf(device, layout, m, n, nowhere, ld, NULL, NULL, NULL));
    CHECK_OK(hpart_dgeqrf(device, layout, m, n, nowhere, ld, NULL, NULL, NULL));
    CHECK_OK(hpart_dgels(device, layout, no, m, n, 0, nowhere, ld, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dgels(device, layout, yes, m, n, 0, nowhere, ld, nowhere, ld, NULL, NULL));
    if (m != 0) return;
    CHECK_OK(hpart_dgesv(device, layout, 0, n, nowhere, ld, NULL, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dgetrs(device, layout, HPART_TRANSPOSE, 0, n, nowhere, ld, NULL, nowhere, ld, NULL, NULL));
    CHECK_OK(
        hpart_dtrmm(device, layout, HPART_LEFT, upper, no, HPART_UNIT, 0, n, 1, nowhere, ld, nowhere, ld, NULL, NULL));
    CHECK_OK(
        hpart_dsymm(device, layout, HPART_LEFT, upper, 0, n, 1, nowhere, ld, nowhere, ld, 0, nowhere, ld, NULL, NULL));
    CHECK_OK(
        hpart_dgemmt(device, layout, upper, no, yes, 0, n, 1, nowhere, ld, nowhere, ld, 0, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dsyr2k(device, layout, upper, no, 0, n, 1, nowhere, ld, nowhere, ld, 0, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dgemm_strided_batched(device, layout, no, no, 0, n, 0, 1, nowhere, ld, 0, nowhere, ld, 0, 0, nowhere,
                                         ld, 0, 3, NULL, NULL));
    CHECK_OK(hpart_dgemm_strided_batched(device, layout, no, no, 5, 5, 5, 1, nowhere, 5, 0, nowhere, 5, 0, 0, nowhere,
                                         5, 0, 0, NULL, NULL));
    CHECK_OK(hpart_dgetri(device, layout, 0, nowhere, ld, NULL, NULL, NULL));
    CHECK_OK(hpart_dpotri(device, layout, HPART_LOWER, 0, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dormqr(device, layout, HPART_LEFT, no, 0, n, 0, nowhere, ld, NULL, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dorgqr(device, layout, 5, 0, 0, nowhere, ld, NULL, NULL, NULL));
    CHECK_OK(hpart_dpotrs(device, layout, HPART_LOWER, 0, n, nowhere, ld, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dposv(device, layout, upper, 0, n, nowhere, ld, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dgels(device, layout, no, 0, 0, n, nowhere, ld, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dsyrk(device, layout, upper, no, 0, n, 1, nowhere, ld, 0, nowhere, ld, NULL, NULL));
    CHECK_OK(hpart_dpotrf(device, layout, lower, 0, nowhere, ld, NULL, NULL));
}

int main(void)
{
    static const char *const specs[] = {"host", "opencl:0:0"};
    for (int d = 0; d < 2; ++d) {
        hpart_device *device = open_or_skip(specs[d], 65536);
        CHECK(device != NULL || d > 0);
        for (int k = 0; device != NULL && k < 4; ++k) {
            empty(device, row, 0, sizes[k]);
            empty(device, row, sizes[k], 0);
            empty(device, column, 0, sizes[k]);
            empty(device, column, sizes[k], 0);
        }
        hpart_device_close(device);
    }
    return check_result();
}
