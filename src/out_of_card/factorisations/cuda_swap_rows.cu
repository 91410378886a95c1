// Exchanges of rows, for CUDA's devices: row first + k of `a` with row others[k], for k = 0, 1, ... A thread does all of them
// in its column. scripts/make-ptx makes cuda_swap_rows_ptx.cpp of it, which is what is built in. It is C++ for the host's
// compilers as well, so that it can be tested where no such device is; they define KERNEL, block_number() and
// thread_number() first.
//
// A block of 256 threads does 256 columns.

#ifndef KERNEL
#define KERNEL extern "C" __attribute__((global))
__attribute__((device)) inline unsigned block_number() { return __nvvm_read_ptx_sreg_ctaid_x(); }
__attribute__((device)) inline unsigned thread_number() { return __nvvm_read_ptx_sreg_tid_x(); }
#define DEVICE __attribute__((device))
#else
#define DEVICE
#endif

struct Others {
    int row[64];
};

// Elements are moved as integers of their size.
struct alignas(16) Pair {
    unsigned long long one, other;
};

template <typename Element>
DEVICE inline void swap_rows(Element *a, long long row_stride, long long column_stride, long long columns, int first,
                             int count, const Others &others)
{
    constexpr long long threads = 256;
    const auto column = block_number() * threads + thread_number();
    if (column >= columns) return;
    auto *const top = a + column * column_stride;
    for (int k = 0; k < count; ++k) {
        const auto one = (first + k) * row_stride, other = others.row[k] * row_stride;
        const auto kept = top[one];
        top[one] = top[other];
        top[other] = kept;
    }
}

KERNEL void swap_4(unsigned *a, long long row_stride, long long column_stride, long long columns, int first, int count,
                   Others others)
{
    swap_rows(a, row_stride, column_stride, columns, first, count, others);
}

KERNEL void swap_8(unsigned long long *a, long long row_stride, long long column_stride, long long columns, int first,
                   int count, Others others)
{
    swap_rows(a, row_stride, column_stride, columns, first, count, others);
}

KERNEL void swap_16(Pair *a, long long row_stride, long long column_stride, long long columns, int first, int count,
                    Others others)
{
    swap_rows(a, row_stride, column_stride, columns, first, count, others);
}
