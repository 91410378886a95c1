/* C = A B by an OpenCL kernel of one's own, with matrices that are larger than the memory that the device is allowed.
 *     cc own_kernel.c $(pkg-config --cflags --libs hpart) -lOpenCL -lm */
#include <hpart.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 768, TILE = 128, TILES = N / TILE };

static const char *const source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                                  "kernel void add_product(int tile, int is_first, global const double *a, global "
                                  "const double *b, global double *c)\n"
                                  "{\n"
                                  "    const int i = get_global_id(1), j = get_global_id(0);\n"
                                  "    double sum = is_first ? 0 : c[i * tile + j];\n"
                                  "    for (int k = 0; k < tile; ++k) sum += a[i * tile + k] * b[k * tile + j];\n"
                                  "    c[i * tile + j] = sum;\n"
                                  "}\n";

/* Called once per step: adds the kernel to the queue, and does not wait for it. */
static int multiply_tiles(const hpart_step *step, void *user)
{
    cl_kernel kernel = user;
    const cl_int tile = TILE, is_first = hpart_step_index(step) % TILES == 0;
    const size_t global[] = {TILE, TILE};
    cl_int status = clSetKernelArg(kernel, 0, sizeof tile, &tile);
    if (!status) status = clSetKernelArg(kernel, 1, sizeof is_first, &is_first);
    for (cl_uint k = 0; k < 3 && !status; ++k) {
        cl_mem memory = hpart_step_memory(step, k);
        status = clSetKernelArg(kernel, 2 + k, sizeof memory, &memory);
    }
    if (!status) status = clEnqueueNDRangeKernel(hpart_step_queue(step), kernel, 2, NULL, global, NULL, 0, NULL, NULL);
    return status;
}

/* Tile (i, j) of C stays on the device while the products of A's row i and B's column j are added to it. */
static hpart_status list_steps(hpart_pipeline *pipeline, const double *a, const double *b, double *c)
{
    const int64_t row_bytes = TILE * sizeof(double), pitch_bytes = N * sizeof(double);
    int64_t arrays[3];
    hpart_status status = HPART_SUCCESS;
    for (int k = 0; k < 3 && !status; ++k) status = hpart_pipeline_add_array(pipeline, TILE * row_bytes, 2, &arrays[k]);
    for (int i = 0; i < N; i += TILE)
        for (int j = 0; j < N; j += TILE)
            for (int k = 0; k < N && !status; k += TILE) {
                status = hpart_pipeline_read(pipeline, arrays[0], &a[i * N + k], TILE, row_bytes, pitch_bytes);
                if (!status)
                    status = hpart_pipeline_read(pipeline, arrays[1], &b[k * N + j], TILE, row_bytes, pitch_bytes);
                if (!status)
                    status = (k == 0 ? hpart_pipeline_write : hpart_pipeline_update)(pipeline, arrays[2], &c[i * N + j],
                                                                                     TILE, row_bytes, pitch_bytes);
                if (!status) status = hpart_pipeline_end_step(pipeline);
            }
    return status;
}

static cl_kernel build_kernel(hpart_device *device, cl_program *program)
{
    void *context = NULL, *id = NULL;
    cl_int status = CL_SUCCESS;
    if (hpart_device_native(device, 0, "cl_context", &context) || hpart_device_native(device, 0, "cl_device_id", &id)) {
        fprintf(stderr, "%s\n", hpart_last_error());
        return NULL;
    }
    *program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &status);
    if (!status) status = clBuildProgram(*program, 1, (cl_device_id *)&id, "", NULL, NULL);
    cl_kernel kernel = status ? NULL : clCreateKernel(*program, "add_product", &status);
    if (status) fprintf(stderr, "the kernel does not build: OpenCL status %d\n", (int)status);
    return kernel;
}

static double largest_error(const double *a, const double *b, const double *c)
{
    double largest = 0;
    for (int i = 0; i < N; i += 37)
        for (int j = 0; j < N; ++j) {
            double sum = 0;
            for (int k = 0; k < N; ++k) sum += a[i * N + k] * b[k * N + j];
            largest = fmax(largest, fabs(sum - c[i * N + j]));
        }
    return largest;
}

static hpart_status run(hpart_device *device, cl_kernel kernel, const double *a, const double *b, double *c)
{
    hpart_pipeline *pipeline = NULL;
    hpart_report *report = NULL;
    int64_t in = 0, out = 0;
    hpart_status status = hpart_pipeline_create(device, &pipeline);
    if (!status) status = list_steps(pipeline, a, b, c);
    if (!status) status = hpart_pipeline_run(pipeline, multiply_tiles, kernel, NULL, &report);
    if (!status) status = hpart_report_get_int(report, "bytes_to_device", &in);
    if (!status) status = hpart_report_get_int(report, "bytes_from_device", &out);
    if (!status)
        printf("%" PRId64 " bytes in, %" PRId64 " out, error below 1e-10: %s\n", in, out,
               largest_error(a, b, c) < 1e-10 ? "yes" : "no");
    hpart_report_destroy(report);
    hpart_pipeline_destroy(pipeline);
    return status;
}

int main(int argc, char **argv)
{
    hpart_options *options = NULL;
    hpart_device *device = NULL;
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    double *a = malloc(sizeof(double[N][N])), *b = malloc(sizeof(double[N][N])), *c = malloc(sizeof(double[N][N]));
    if (!a || !b || !c) return 1;
    for (int k = 0; k < N * N; ++k) {
        a[k] = k % 17 - 8;
        b[k] = k % 23 - 11;
    }

    hpart_status status = hpart_options_create(&options);
    if (!status) status = hpart_options_set_int(options, "memory_limit", 1 << 20); /* C alone has 4.5 MiB */
    if (!status) status = hpart_device_open(argc > 1 ? argv[1] : "opencl:0:0", options, &device);
    if (!status) kernel = build_kernel(device, &program);
    if (!status && kernel) status = run(device, kernel, a, b, c);
    if (status) fprintf(stderr, "%s\n", hpart_last_error());

    if (kernel) clReleaseKernel(kernel);
    if (program) clReleaseProgram(program);
    hpart_device_close(device);
    hpart_options_destroy(options);
    free(a);
    free(b);
    free(c);
    return status || !kernel ? 1 : 0;
}
