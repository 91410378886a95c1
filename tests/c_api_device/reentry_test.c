/* Calls that would wait for ever are refused: another operation on a device in a callback of the first one, and drivers in a forked process. */
#include "devices.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N = 200 };
static double a[N * N], c[N * N];

static hpart_status multiply(hpart_device *device, const hpart_options *options)
{
    return hpart_dgemm(device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, N, N, N, 1, a, N, a, N, 0, c, N,
                       options, NULL);
}

struct Nested {
    hpart_device *device;
    hpart_status status;
    int calls;
};

static int call_again(struct Nested *nested)
{
    double one = 1, sum = 0;
    ++nested->calls;
    nested->status = hpart_dgemm(nested->device, HPART_ROW_MAJOR, HPART_NO_TRANSPOSE, HPART_NO_TRANSPOSE, 1, 1, 1, 1,
                                 &one, 1, &one, 1, 0, &sum, 1, NULL, NULL);
    return 0;
}

static int progress(double fraction, const char *what, void *user)
{
    (void)fraction;
    (void)what;
    return call_again(user);
}

static int step(const hpart_step *now, void *user)
{
    (void)now;
    return call_again(user);
}

static void test_callbacks(const char *spec)
{
    struct Nested nested = {open_or_skip(spec, -1), HPART_SUCCESS, 0};
    hpart_device *other = open_or_skip(spec, -1);
    hpart_pipeline *pipeline = NULL;
    int64_t array = 0;
    double block = 0;
    if (other == NULL || is_missing(multiply(other, NULL))) return;
    hpart_options *options = new_options();
    CHECK_OK(hpart_options_set_progress(options, progress, &nested, NULL));
    CHECK_OK(multiply(nested.device, options));
    CHECK(nested.calls > 0);
    CHECK(nested.status == HPART_ERR_INVALID_ARGUMENT);
    CHECK_OK(multiply(other, options)); /* whose callback uses another device */
    CHECK_OK(nested.status);

    nested.calls = 0;
    CHECK_OK(hpart_pipeline_create(nested.device, &pipeline));
    CHECK_OK(hpart_pipeline_add_array(pipeline, sizeof block, 0, &array));
    CHECK_OK(hpart_pipeline_update(pipeline, array, &block, 1, sizeof block, sizeof block));
    CHECK_OK(hpart_pipeline_end_step(pipeline));
    CHECK_OK(hpart_pipeline_run(pipeline, step, &nested, NULL, NULL));
    CHECK(nested.calls == 1);
    CHECK(nested.status == HPART_ERR_INVALID_ARGUMENT);
    hpart_pipeline_destroy(pipeline);
    CHECK_OK(multiply(nested.device, NULL)); /* it can be used again */
    hpart_options_destroy(options);
    hpart_device_close(other);
    hpart_device_close(nested.device);
}

/* The child's exit status: what failed there. */
static int in_child(hpart_device *device, const char *spec)
{
    hpart_device *own = NULL;
    alarm(60);
    if (multiply(device, NULL) != HPART_ERR_DEVICE ||
        strstr(hpart_last_error(), "was opened before this process was forked") == NULL)
        return 1;
    if (hpart_device_open(spec, NULL, &own) != HPART_ERR_DEVICE || strstr(hpart_last_error(), "was forked") == NULL)
        return 2;
    if (hpart_device_open("host", NULL, &own) != HPART_SUCCESS || multiply(own, NULL) != HPART_SUCCESS) return 3;
    hpart_device_close(own);
    if (hpart_pin(device, &own, sizeof own) != HPART_ERR_DEVICE || hpart_alloc_pinned(device, 8) != NULL) return 4;
    hpart_unpin(device, &own);
    return strstr(hpart_last_error(), "was forked") == NULL ? 5 : 0;
}

static void test_fork(const char *spec)
{
    hpart_device *device = open_or_skip(spec, -1);
    int status = 0;
    if (device == NULL || is_missing(multiply(device, NULL))) return;
    const pid_t child = fork();
    if (child == 0) _exit(in_child(device, spec));
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_OK(multiply(device, NULL));
    hpart_device_close(device);
}

int main(void)
{
    test_callbacks("host");
    test_callbacks("opencl:0:0");
    test_fork("opencl:0:0");
    return check_result();
}
