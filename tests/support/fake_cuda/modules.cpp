// Kernels: those of cuda_twist.cu, translated by the host's compiler.
#include "state.hpp"

#include <cstring>

namespace
{

thread_local unsigned block = 0, thread = 0;
unsigned block_number() { return block; }
unsigned thread_number() { return thread; }

#define KERNEL
#include "out_of_card/in_card/cuda_twist.cu"

} // namespace

namespace hpart
{

struct CUfunc_st {
    bool is_double;
};

struct CUmod_st {
    CUfunc_st twist_double{true}, twist_float{false};
};

} // namespace hpart

using namespace fake_cuda;
using hpart::CudaFunction;
using hpart::CudaModuleHandle;

namespace
{

constexpr int invalid_value = 1, invalid_image = 200, invalid_handle = 400, not_found = 500;

CudaResult result(int code) { return static_cast<CudaResult>(code); }

struct Parameters {
    const void *from;
    void *to;
    const void *roots;
    unsigned long long rows, columns, first, fine;
};

template <typename Value> Value parameter(void **parameters, std::size_t k)
{
    Value value;
    std::memcpy(&value, parameters[k], sizeof value);
    return value;
}

void run(const Parameters &p, bool is_double, unsigned blocks, unsigned threads)
{
    for (block = 0; block < blocks; ++block)
        for (thread = 0; thread < threads; ++thread)
            if (is_double)
                twist_double(static_cast<const Number<double> *>(p.from), static_cast<Number<double> *>(p.to),
                             static_cast<const Number<double> *>(p.roots), p.rows, p.columns, p.first, p.fine);
            else
                twist_float(static_cast<const Number<float> *>(p.from), static_cast<Number<float> *>(p.to),
                            static_cast<const Number<float> *>(p.roots), p.rows, p.columns, p.first, p.fine);
}

FakeRange range(const void *first, std::size_t bytes) { return {reinterpret_cast<std::uintptr_t>(first), bytes}; }

} // namespace

extern "C" {

CudaResult cuModuleLoadData(CudaModuleHandle *module, const void *text)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuModuleLoadData"); code != 0) return result(code);
    if (std::strstr(static_cast<const char *>(text), ".entry twist_double") == nullptr) return result(invalid_image);
    *module = new hpart::CUmod_st;
    state().modules.insert(*module);
    return result(0);
}

CudaResult cuModuleUnload(CudaModuleHandle module)
{
    Lock lock(state().mutex);
    const auto code = begin_return(lock, "cuModuleUnload");
    if (state().modules.erase(module) == 0) {
        violation(lock, "cuModuleUnload of what is no module");
        return result(invalid_handle);
    }
    delete module;
    return result(code);
}

CudaResult cuModuleGetFunction(CudaFunction *function, CudaModuleHandle module, const char *name)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuModuleGetFunction"); code != 0) return result(code);
    if (!state().modules.contains(module)) {
        violation(lock, "cuModuleGetFunction of what is no module");
        return result(invalid_handle);
    }
    if (std::strcmp(name, "twist_double") == 0)
        *function = &module->twist_double;
    else if (std::strcmp(name, "twist_float") == 0)
        *function = &module->twist_float;
    else
        return result(not_found);
    return result(0);
}

CudaResult cuLaunchKernel(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned, CudaStream stream, void **parameters, void **)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuLaunchKernel"); code != 0) return result(code);
    constexpr unsigned most_threads = 1024;
    if (grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x == 0 || block_x > most_threads || block_y != 1 ||
        block_z != 1)
        return result(invalid_value);
    const Parameters p{parameter<const void *>(parameters, 0),       parameter<void *>(parameters, 1),
                       parameter<const void *>(parameters, 2),       parameter<unsigned long long>(parameters, 3),
                       parameter<unsigned long long>(parameters, 4), parameter<unsigned long long>(parameters, 5),
                       parameter<unsigned long long>(parameters, 6)};
    const auto bytes = function->is_double ? 2 * sizeof(double) : 2 * sizeof(float);
    const auto last_exponent = (p.rows - 1) * (p.first + p.columns - 1);
    auto command = std::make_shared<FakeCommand>();
    command->card_ranges = {range(p.from, p.rows * p.columns * bytes), range(p.to, p.rows * p.columns * bytes),
                            range(p.roots, (p.fine + last_exponent / p.fine + 1) * bytes)};
    for (const auto &used : command->card_ranges)
        if (!is_on_card(lock, used)) violation(lock, "a kernel reads or writes beyond an array on the card");
    if (command->card_ranges[0].meets(command->card_ranges[1])) violation(lock, "a kernel's arrays overlap");
    command->work = [=, is_double = function->is_double] { run(p, is_double, grid_x, block_x); };
    return result(push(lock, stream, std::move(command)) ? 0 : invalid_handle);
}
}
