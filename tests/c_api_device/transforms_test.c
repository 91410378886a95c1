/* Fourier transforms against the sums that define them, forward and back, in place and not, of real numbers. */
#include "numbers.h"

enum { most_points = 4000 };

static const double pi = 3.14159265358979323846;

struct shape {
    int64_t rank, dims[3], batch;
};

static int64_t product(const struct shape *shape, int64_t last)
{
    int64_t points = 1;
    for (int64_t d = 0; d + 1 < shape->rank; ++d) points *= shape->dims[d];
    return points * last;
}
static int64_t last_of(const struct shape *shape) { return shape->dims[shape->rank - 1]; }
static int64_t points_of(const struct shape *shape) { return product(shape, last_of(shape)); }

static struct shape some_shape(void)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 17, 31};
    for (;;) {
        struct shape shape = {1 + random_below(3), {1, 1, 1}, random_below(4)};
        for (int64_t d = 0; d < shape.rank; ++d)
            shape.dims[d] = lengths[random_below(sizeof lengths / sizeof lengths[0])];
        if (shape.rank == 1) shape.dims[0] = 1 + random_below(300);
        if (points_of(&shape) * shape.batch <= most_points) return shape;
    }
}

/* One output point of one array by the definition. */
static number summed(const struct shape *shape, int sign, const number *in, const int64_t *at)
{
    number sum = 0;
    int64_t j[3] = {0, 0, 0};
    for (int64_t k = 0; k < points_of(shape); ++k) {
        double turns = 0;
        for (int64_t d = 0; d < shape->rank; ++d)
            turns += (double)(j[d] * at[d] % shape->dims[d]) / (double)shape->dims[d];
        sum += in[k] * cexp(sign * 2 * pi * I * turns);
        for (int64_t d = shape->rank - 1; d >= 0 && ++j[d] == shape->dims[d]; --d) j[d] = 0;
    }
    return sum;
}

/* Some points of every array; sums of n numbers below 2 round to n epsilon at most, by far. */
static void check_points(const struct shape *shape, int sign, const number *in, char type, const void *out,
                         int64_t out_last)
{
    const int64_t points = points_of(shape);
    int wrong = 0;
    for (int64_t b = 0; b < shape->batch; ++b)
        for (int sample = 0; sample < 8; ++sample) {
            int64_t at[3] = {0, 0, 0}, place_of_point = 0;
            for (int64_t d = 0; d < shape->rank; ++d) {
                const int64_t count = d + 1 < shape->rank ? shape->dims[d] : out_last;
                at[d] = random_below(count);
                place_of_point = place_of_point * count + at[d];
            }
            const number found = get(type, out, b * product(shape, out_last) + place_of_point);
            const double tolerance = 8 * epsilon_of(type) * sqrt((double)points) * (2 + log2((double)points));
            wrong += !(cabs(found - summed(shape, sign, in + b * points, at)) <= tolerance);
        }
    CHECK(wrong == 0);
    if (wrong != 0)
        printf("  %c rank %d of %d %d %d, batch %d: %d wrong\n", type, (int)shape->rank, (int)shape->dims[0],
               (int)shape->dims[1], (int)shape->dims[2], (int)shape->batch, wrong);
}

static hpart_status transform(char type, hpart_device *device, const struct shape *shape, int32_t sign, const void *in,
                              void *out)
{
    if (type == 'c') return hpart_cfft(device, shape->rank, shape->dims, shape->batch, sign, in, out, NULL, NULL);
    return hpart_zfft(device, shape->rank, shape->dims, shape->batch, sign, in, out, NULL, NULL);
}

static void test_complex(hpart_device *device, char type)
{
    const struct shape shape = some_shape();
    const int64_t count = points_of(&shape) * shape.batch;
    const int32_t sign = random_below(2) == 0 ? -1 : 1;
    const int in_place = random_below(2) == 0;
    void *in = random_array(type, count), *before = copy_of(type, in, count),
         *out = in_place ? in : random_array(type, count);
    static number exact[most_points];
    for (int64_t k = 0; k < count; ++k) exact[k] = get(type, in, k);
    if (!is_missing(transform(type, device, &shape, sign, in, out))) {
        check_points(&shape, sign, exact, type, out, last_of(&shape));
        if (!in_place) CHECK(memcmp(in, before, (size_t)count * bytes_of(type)) == 0);
    }
    if (!in_place) free(out);
    free(before);
    free(in);
}

static void test_real(hpart_device *device, char type)
{
    const struct shape shape = some_shape();
    const char complex_type = type == 's' ? 'c' : 'z';
    const int64_t count = points_of(&shape) * shape.batch, half = last_of(&shape) / 2 + 1;
    void *in = random_array(type, count), *back = random_array(type, count);
    void *spectrum = random_array(complex_type, product(&shape, half) * shape.batch);
    static number exact[most_points];
    for (int64_t k = 0; k < count; ++k) exact[k] = get(type, in, k);
    const hpart_status forward =
        type == 's' ? hpart_sfft_r2c(device, shape.rank, shape.dims, shape.batch, in, spectrum, NULL, NULL)
                    : hpart_dfft_r2c(device, shape.rank, shape.dims, shape.batch, in, spectrum, NULL, NULL);
    if (!is_missing(forward)) {
        check_points(&shape, -1, exact, complex_type, spectrum, half);
        const size_t bytes = (size_t)(product(&shape, half) * shape.batch) * bytes_of(complex_type);
        void *kept = malloc(bytes + 1);
        memcpy(kept, spectrum, bytes);
        CHECK_OK(type == 's' ? hpart_sfft_c2r(device, shape.rank, shape.dims, shape.batch, spectrum, back, NULL, NULL)
                             : hpart_dfft_c2r(device, shape.rank, shape.dims, shape.batch, spectrum, back, NULL, NULL));
        CHECK(memcmp(kept, spectrum, bytes) == 0);
        int wrong = 0;
        for (int64_t k = 0; k < count; ++k) {
            const double points = (double)points_of(&shape);
            wrong += !(cabs(get(type, back, k) / points - exact[k]) <= 16 * epsilon_of(type) * (2 + log2(points)));
        }
        CHECK(wrong == 0);
        free(kept);
    }
    free(spectrum);
    free(back);
    free(in);
}

/* A batch too large for the device, and one array that is. */
static void test_larger_than_the_device(hpart_device *device)
{
    const struct shape shapes[] = {
        {2, {96, 80, 1}, 1}, {1, {16384, 1, 1}, 1}, {3, {16, 20, 24}, 1}, {1, {256, 1, 1}, 40}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
        const int64_t count = points_of(&shapes[s]) * shapes[s].batch;
        void *in = random_array('z', count), *out = random_array('z', count), *back = random_array('z', count);
        if (!is_missing(transform('z', device, &shapes[s], -1, in, out)) &&
            !is_missing(transform('z', device, &shapes[s], 1, out, back))) {
            const double points = (double)points_of(&shapes[s]);
            double error = 0, size = 0;
            for (int64_t k = 0; k < count; ++k) {
                error += pow(cabs(get('z', back, k) / points - get('z', in, k)), 2);
                size += pow(cabs(get('z', in, k)), 2);
            }
            CHECK(sqrt(error / size) < 4e-15);
            number *exact = malloc((size_t)count * sizeof *exact);
            for (int64_t k = 0; k < count; ++k) exact[k] = get('z', in, k);
            check_points(&shapes[s], -1, exact, 'z', out, last_of(&shapes[s]));
            free(exact);
        }
        free(back);
        free(out);
        free(in);
    }
}

int main(void)
{
    const int rounds = is_on_gpu() ? 3 : 12; /* kernels are compiled for each shape */
    for (int d = 0; d < tested_device_count; ++d) {
        hpart_device *device = open_tested_device(d);
        for (int round = 0; device != NULL && round < rounds; ++round) {
            test_complex(device, 'c');
            test_complex(device, 'z');
            test_real(device, 's');
            test_real(device, 'd');
        }
        if (device != NULL) test_larger_than_the_device(device);
        hpart_device_close(device);
    }
    return check_result();
}
