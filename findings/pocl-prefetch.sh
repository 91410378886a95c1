#!/usr/bin/env bash
# PoCL 3.1 on x86-64: OpenCL's prefetch() becomes no instruction; Clang's __builtin_prefetch in the same kernel becomes one.
#
# Library    PoCL 3.1, package pocl-opencl-icd 3.1-3+deb12u1 of Debian 12 (amd64, LLVM 14 or 15), by the loader ocl-icd 2.3.1
# Input      Two kernels that ask for memory 32 kB ahead and store a number: by prefetch(x + 4096, 1), and by __builtin_prefetch.
#            PoCL keeps the machine code of what it has compiled in the folder POCL_CACHE_DIR.
# Expected   One prefetch instruction in each: the device is an x86 processor, and the compiler is Clang.
# Seen       None in the first, one in the second. No warning is given.
# For users  OpenCL allows it, since prefetch() changes no result. But a kernel tuned by prefetch() loses what it gained, here 13 % of a
#            product whose kernel asks for its result's lines. Use the compiler's function where __x86_64__ or __aarch64__ is defined.
#
# Usage: findings/pocl-prefetch.sh     Status 0: as seen; 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
mmdebstrap --quiet --variant=apt --include=pocl-opencl-icd=3.1-3+deb12u1,ocl-icd-opencl-dev,opencl-c-headers,gcc,libc6-dev bookworm "$folder/system" ${mirror:+"$mirror"}
cat >"$folder/system/ahead.c" <<'PROGRAM'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(int count, char **words)
{
    cl_platform_id platform;
    cl_device_id device;
    if (count != 2 || clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL)) return 2;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    char text[200];
    const char *source = text;
    snprintf(text, sizeof text, "kernel void one(global double *x) { %s; *x = 1; }", words[1]);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) return 2;
    cl_kernel kernel = clCreateKernel(program, "one", NULL);
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 16, NULL, NULL);
    size_t items = 1;
    clSetKernelArg(kernel, 0, sizeof x, &x);
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) || clFinish(queue) ? 2 : 0;
}
PROGRAM
in_root() {
    unshare --mount bash -euc '
        for one in proc dev sys; do mount --rbind "/$one" "$1/$one"; done
        exec chroot "$1" env -i HOME=/ PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 bash -euc "$2"' in_root "$folder/system" "$1"
}
in_root 'gcc -O1 -w /ahead.c -o /ahead -lOpenCL'
instructions_of() { # folder call
    in_root "mkdir /$1; POCL_CACHE_DIR=/$1 /ahead '$2'; find /$1 -name '*.so' -exec objdump -d {} + >/$1/code; grep -c prefetch /$1/code || true"
}
of_opencl=$(instructions_of of-opencl 'prefetch(x + 4096, 1)')
of_clang=$(instructions_of of-clang '__builtin_prefetch((const void *)(ulong)(x + 4096), 1, 3)')
found="prefetch $of_opencl __builtin_prefetch $of_clang"
echo "$found"
if [ "$found" = "prefetch 0 __builtin_prefetch 1" ]; then
    echo "as seen"
else
    echo "the behaviour has changed" >&2
    exit 1
fi
