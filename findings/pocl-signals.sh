#!/usr/bin/env bash
# PoCL 3.1: the first kernel that is compiled takes signal handlers of the program, and the program's handler of SIGUSR1 is never called again.
#
# Library    PoCL 3.1, package pocl-opencl-icd 3.1-3+deb12u1 of Debian 12 (amd64, LLVM 14 or 15), by the loader ocl-icd 2.3.1
# Input      A program sets handlers of SIGUSR1 and SIGHUP, builds and runs one kernel, and raises both signals.
# Expected   Both handlers are called: OpenCL's specification has no word on signals, and a driver is a library among others.
# Seen       The handler of SIGUSR1 is not called; sigaction shows a function of libLLVM in its place, and in place of 14 others. The
#            handler of SIGHUP is called, by LLVM's own, which puts it back and raises the signal again.
# For users  A batch system's SIGUSR1 ("write a checkpoint") is lost without a word. Set handlers after the first kernel was compiled, or
#            read them before with sigaction and put them back.
#
# Usage: findings/pocl-signals.sh     Status 0: as seen; 1: the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
mmdebstrap --quiet --variant=apt --include=pocl-opencl-icd=3.1-3+deb12u1,ocl-icd-opencl-dev,opencl-c-headers,gcc,libc6-dev bookworm "$folder/system" ${mirror:+"$mirror"}
cat >"$folder/system/signals.c" <<'PROGRAM'
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t seen[65];
static void see(int number) { ++seen[number]; }

int main(void)
{
    signal(SIGUSR1, see);
    signal(SIGHUP, see);
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return 2;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    const char *source = "kernel void one(global int *x) { *x = 1; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) return 2;
    cl_kernel kernel = clCreateKernel(program, "one", NULL);
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(int), NULL, NULL);
    size_t items = 1;
    clSetKernelArg(kernel, 0, sizeof x, &x);
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) || clFinish(queue)) return 2;
    struct sigaction now;
    Dl_info owner = {0};
    sigaction(SIGUSR1, NULL, &now);
    dladdr((void *)now.sa_handler, &owner);
    fprintf(stderr, "SIGUSR1 has a handler of %s\n", owner.dli_fname);
    raise(SIGUSR1);
    raise(SIGHUP);
    printf("SIGUSR1 %d SIGHUP %d\n", (int)seen[SIGUSR1], (int)seen[SIGHUP]);
    return 0;
}
PROGRAM
in_root() {
    unshare --mount bash -euc '
        for one in proc dev sys; do mount --rbind "/$one" "$1/$one"; done
        exec chroot "$1" env -i HOME=/ PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 bash -euc "$2"' in_root "$folder/system" "$1"
}
in_root 'gcc -O1 -w /signals.c -o /signals -lOpenCL -ldl'
found=$(in_root /signals)
echo "$found"
if [ "$found" = "SIGUSR1 0 SIGHUP 1" ]; then
    echo "as seen"
else
    echo "the behaviour has changed" >&2
    exit 1
fi
