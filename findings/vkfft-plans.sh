#!/usr/bin/env bash
# VkFFT 1.3.4: deleteVkFFT does not give back what the generator of kernels allocated, 23 to 140 kB a plan.
#
# Library    VkFFT 1.3.4, as the source distribution of pyvkfft 2025.1.1 has it, backend OpenCL
# Input      In a loop: initializeVkFFT of one dimension of 64, 1024, 1000 or 97 points, then deleteVkFFT; both succeed. The program counts
#            what VkFFT's own code (a header) allocates and frees.
# Expected   Nothing is left after deleteVkFFT: VkFFT 1.2.26 frees all.
# Seen       Blocks are left each time, as many for each plan of a length. On PoCL: 316 of 64 points, 566 of 1024, 638 of 1000, 1870 of 97.
# For users  A process that makes plans for ever new shapes grows by 50 to 140 MB per 1000 plans. Keep plans and use them again.
#
# Needs an OpenCL platform with its headers and a C compiler, such as Debian's pocl-opencl-icd, opencl-headers and ocl-icd-opencl-dev.
# Usage: findings/vkfft-plans.sh     Status 0: as seen; 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" -q download --no-deps --no-binary :all: pyvkfft==2025.1.1 -d "$folder"
tar -xzf "$folder/pyvkfft-2025.1.1.tar.gz" -C "$folder"
cat >"$folder/plans.c" <<'PROGRAM'
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long blocks = 0, bytes = 0;

static void *added(void *block)
{
    if (block != NULL) ++blocks, bytes += (long)malloc_usable_size(block);
    return block;
}
static void *removed(void *block)
{
    if (block != NULL) --blocks, bytes -= (long)malloc_usable_size(block);
    return block;
}
static void *counted_malloc(size_t size) { return added(malloc(size)); }
static void *counted_calloc(size_t count, size_t size) { return added(calloc(count, size)); }
static void *counted_realloc(void *block, size_t size) { return added(realloc(removed(block), size)); }
static void counted_free(void *block) { free(removed(block)); }

#define malloc counted_malloc
#define calloc counted_calloc
#define realloc counted_realloc
#define free counted_free
#define VKFFT_BACKEND 3
#define CL_TARGET_OPENCL_VERSION 120
#include "vkFFT.h"

/* Blocks that a plan leaves. */
static long left_by(cl_context *context, cl_device_id *device, uint64_t points)
{
    const long blocks_before = blocks, bytes_before = bytes;
    uint64_t size = 2 * sizeof(float) * points;
    cl_mem buffer = clCreateBuffer(*context, CL_MEM_READ_WRITE, size, NULL, NULL);
    VkFFTConfiguration configuration = {0};
    VkFFTApplication plan = {0};
    configuration.FFTdim = 1;
    configuration.size[0] = points;
    configuration.device = device;
    configuration.context = context;
    configuration.buffer = &buffer;
    configuration.bufferSize = &size;
    const int result = initializeVkFFT(&plan, configuration);
    deleteVkFFT(&plan);
    clReleaseMemObject(buffer);
    printf("VkFFT %d, %d points: result %d, %ld blocks of %ld bytes are left\n", VkFFTGetVersion(), (int)points, result,
           blocks - blocks_before, bytes - bytes_before);
    return result == VKFFT_SUCCESS ? blocks - blocks_before : -1;
}

int main(void)
{
    const uint64_t lengths[] = {64, 1024, 1000, 97};
    cl_platform_id platform;
    cl_device_id device;
    int changed = 0;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        fprintf(stderr, "there is no OpenCL device\n");
        return 2;
    }
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
        const long once = left_by(&context, &device, lengths[k]), again = left_by(&context, &device, lengths[k]);
        changed |= once < 100 || again != once;
    }
    puts(changed ? "the behaviour has changed" : "as seen");
    return changed;
}
PROGRAM
"${CC:-cc}" -O1 -w -I"$folder/pyvkfft-2025.1.1/src/VkFFT/vkFFT" "$folder/plans.c" -o "$folder/plans" -lOpenCL -lm
"$folder/plans"
