#!/usr/bin/env bash
# PoCL 7.1: kernels of VkFFT compute wrong transforms in double precision, and all calls report success.
#
# Library    PoCL 7.1, package pocl-opencl-icd 7.1-9 of Debian unstable (amd64, LLVM 21), with VkFFT 1.3.4, package libvkfft-dev 1.3.4+ds2-1
# Input      Forward transforms of 1 and of 4 lines of 16 to 256 points, in single and double precision, on PoCL's processor device; once as
#            it is, and once with POCL_WORK_GROUP_METHOD=cbs
# Expected   Relative errors of rounding: below 1e-13 in double precision, 1e-5 in single.
# Seen       With PoCL's default four cases of double precision are wrong: 4 lines of 32 points (error 0.30), 4 of 64 (0.32), 1 of 128 (0.21) and
#            4 of 128 (0.24). The others have errors of rounding, and with cbs all have, at most 9.0e-16 and 1.9e-07. Each call returns success.
#            Seen on an AMD EPYC with AVX2, which PoCL names haswell.
# For users  Set POCL_WORK_GROUP_METHOD=cbs, or compare each transform with a known one before you rely on it. PoCL's default makes loops of
#            work-items between barriers; cbs forms them in another way. The code of 128 points has seven barriers, none in a condition.
#
# Needs root, mmdebstrap and 2 GB: the packages are those of a Debian unstable in a folder of its own.
# Usage: findings/pocl-vkfft-barriers.sh     Status 0: as seen; 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
packages=pocl-opencl-icd=7.1-9,libvkfft-dev=1.3.4+ds2-1,ocl-icd-opencl-dev,opencl-c-headers,gcc,libc6-dev
mmdebstrap --quiet --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' --include="$packages" unstable "$folder/system" ${mirror:+"$mirror"}
cat >"$folder/system/lines.c" <<'PROGRAM'
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#define VKFFT_BACKEND 3
#include <vkFFT.h>

enum { most = 4 * 256 };

/* The relative error of `count` lines of n points; -1 if a call fails. */
static double error_of(cl_context context, cl_device_id device, cl_command_queue queue, int n, int count, int is_double)
{
    double complex x[most];
    double in[2 * most];
    float in_single[2 * most];
    uint64_t size = (uint64_t)(n * count) * 2 * (is_double ? sizeof *in : sizeof *in_single);
    void *numbers = is_double ? (void *)in : (void *)in_single;
    for (int k = 0; k < 2 * n * count; ++k) in[k] = in_single[k] = (float)(sin(k * 1.7) + cos(k * k * 0.3));
    for (int k = 0; k < n * count; ++k) x[k] = in[2 * k] + in[2 * k + 1] * I;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, numbers, NULL);
    VkFFTConfiguration wanted = {0};
    VkFFTApplication plan = {0};
    VkFFTLaunchParams launch = {0};
    wanted.FFTdim = 1;
    wanted.size[0] = (uint64_t)n;
    wanted.numberBatches = (uint64_t)count;
    wanted.doublePrecision = (uint64_t)is_double;
    wanted.device = &device;
    wanted.context = &context;
    wanted.bufferSize = &size;
    launch.buffer = &buffer;
    launch.commandQueue = &queue;
    if (initializeVkFFT(&plan, wanted) != VKFFT_SUCCESS || VkFFTAppend(&plan, -1, &launch) != VKFFT_SUCCESS) return -1;
    if (clFinish(queue) != CL_SUCCESS || clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, numbers, 0, NULL, NULL) != CL_SUCCESS) return -1;
    deleteVkFFT(&plan);
    clReleaseMemObject(buffer);
    double wrong = 0, all = 0;
    for (int line = 0; line < count; ++line)
        for (int k = 0; k < n; ++k) {
            const int at = 2 * (line * n + k);
            double complex sum = 0;
            for (int j = 0; j < n; ++j) sum += x[line * n + j] * cexp(-2 * M_PI * I * (j * k % n) / n);
            const double complex got = is_double ? in[at] + in[at + 1] * I : in_single[at] + in_single[at + 1] * I;
            wrong += pow(cabs(got - sum), 2);
            all += pow(cabs(sum), 2);
        }
    return sqrt(wrong / all);
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    char version[200] = "";
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS || clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL) != CL_SUCCESS) return 2;
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    fprintf(stderr, "%s, VkFFT %d\n", version, VkFFTGetVersion());
    for (int n = 16; n <= 256; n *= 2)
        for (int count = 1; count <= 4; count += 3)
            for (int is_double = 0; is_double <= 1; ++is_double) {
                const double error = error_of(context, device, queue, n, count, is_double);
                fprintf(stderr, "%d lines of %3d points, %s: relative error %.1e\n", count, n, is_double ? "double" : "single", error);
                if (!(error >= 0 && error < (is_double ? 1e-13 : 1e-5))) printf(" %dx%d-%s", count, n, is_double ? "double" : "single");
            }
    return 0;
}
PROGRAM
in_root() {
    unshare --mount bash -euc '
        for one in proc dev sys; do mount --rbind "/$one" "$1/$one"; done
        exec chroot "$1" env -i HOME=/ PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 bash -euc "$2"' in_root "$folder/system" "$1"
}
in_root 'cd / && gcc -O1 -w $(find /usr/include -name vkFFT.h -printf "-I%h ") lines.c -o lines -lOpenCL -lm'
wrong=$(in_root /lines)
echo "with POCL_WORK_GROUP_METHOD=cbs:"
wrong_by_cbs=$(in_root 'POCL_WORK_GROUP_METHOD=cbs /lines')
echo "wrong:$wrong; with cbs:${wrong_by_cbs:- none}"
if [ "$wrong" = " 4x32-double 4x64-double 1x128-double 4x128-double" ] && [ -z "$wrong_by_cbs" ]; then
    echo "as seen"
else
    echo "the behaviour has changed"
    exit 1
fi
