// The cost of a call that stays: dgemm through libhpart_blas, which is linked before OpenBLAS, and OpenBLAS's own, in turns.
//
//   OPENBLAS_NUM_THREADS=1 [HPART_BLAS_REPORT=FILE] bench_drop_in      without and with counting
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <dlfcn.h>

using Gemm = void(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                  const int *, const double *, const int *, const double *, double *, const int *);
extern "C" Gemm dgemm_;

int main()
{
    auto *const library = dlopen(HPART_OPENBLAS_FILE, RTLD_LAZY);
    auto *const direct = library != nullptr ? reinterpret_cast<Gemm *>(dlsym(library, "dgemm_")) : nullptr;
    if (direct == nullptr || direct == dgemm_) return 1;
    constexpr int turns = 41, largest = 64;
    const std::vector<double> a(largest * largest, 1), b(largest * largest, 1);
    std::vector<double> c(largest * largest);
    double of_largest = 0;
    for (const int n : {largest, 4}) {
        const int calls = n == largest ? 2000 : 200000;
        std::vector<double> times[2];
        for (int turn = 0; turn < turns; ++turn) {
            for (const int k : {turn % 2, 1 - turn % 2}) {
                auto *const gemm = k == 0 ? direct : dgemm_;
                const double one = 1, zero = 0;
                const auto begin = std::chrono::steady_clock::now();
                for (int call = 0; call < calls; ++call)
                    gemm("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n);
                const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - begin;
                times[k].push_back(duration.count() / calls);
            }
        }
        for (auto &all : times) std::nth_element(all.begin(), all.begin() + turns / 2, all.end());
        const double own = times[0][turns / 2], through = times[1][turns / 2];
        if (n == largest) of_largest = own;
        std::printf("dgemm %d: OpenBLAS %.1f ns, through libhpart_blas %.1f ns, more: %.1f ns, %.3f %% of dgemm %d\n",
                    n, own * 1e9, through * 1e9, (through - own) * 1e9, (through - own) / of_largest * 100, largest);
    }
}
