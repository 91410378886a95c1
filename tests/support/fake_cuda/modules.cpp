// Kernels: those of the library, translated by the host's compiler.
#include "state.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace
{

thread_local unsigned block = 0, thread = 0;
unsigned block_number() { return block; }
unsigned thread_number() { return thread; }

#define KERNEL
#include "out_of_card/in_card/cuda_kernels.cu"

} // namespace

namespace hpart
{

// A launch as a command; what is wrong with it is told.
struct CUfunc_st {
    const char *name;
    std::shared_ptr<FakeCommand> (*launch)(fake_cuda::Lock &lock, void **parameters, unsigned blocks, unsigned threads);
    CudaModuleHandle module = nullptr;
};

struct CUmod_st {
    std::vector<CUfunc_st> functions;
};

} // namespace hpart

using namespace fake_cuda;
using hpart::CudaFunction;
using hpart::CudaModuleHandle;
using hpart::CUfunc_st;

namespace
{

template <typename Value> Value parameter(void **parameters, std::size_t k)
{
    Value value;
    std::memcpy(&value, parameters[k], sizeof value);
    return value;
}

template <typename Kernel> std::function<void()> on_all_threads(unsigned blocks, unsigned threads, const Kernel &kernel)
{
    return [=] {
        for (block = 0; block < blocks; ++block)
            for (thread = 0; thread < threads; ++thread) kernel();
    };
}

void check_ranges(Lock &lock, const FakeCommand &command)
{
    for (const auto &used : command.device_ranges)
        if (!is_on_device(lock, used)) violation(lock, "a kernel reads or writes beyond an array on the device");
}

FakeRange range(const void *first, std::size_t bytes) { return {reinterpret_cast<std::uintptr_t>(first), bytes}; }

template <typename Real, void (*kernel)(const Number<Real> *, Number<Real> *, const Number<Real> *, unsigned long long,
                                        unsigned long long, unsigned long long, unsigned long long)>
std::shared_ptr<FakeCommand> twiddling(Lock &lock, void **parameters, unsigned blocks, unsigned threads)
{
    const auto from = parameter<const Number<Real> *>(parameters, 0);
    const auto to = parameter<Number<Real> *>(parameters, 1);
    const auto roots = parameter<const Number<Real> *>(parameters, 2);
    const auto rows = parameter<unsigned long long>(parameters, 3),
               columns = parameter<unsigned long long>(parameters, 4),
               first = parameter<unsigned long long>(parameters, 5),
               fine = parameter<unsigned long long>(parameters, 6);
    const auto last_exponent = (rows - 1) * (first + columns - 1);
    auto command = std::make_shared<FakeCommand>();
    command->device_ranges = {range(from, rows * columns * sizeof *from), range(to, rows * columns * sizeof *to),
                              range(roots, (fine + last_exponent / fine + 1) * sizeof *roots)};
    check_ranges(lock, *command);
    if (command->device_ranges[0].meets(command->device_ranges[1])) violation(lock, "a kernel's arrays overlap");
    command->work = on_all_threads(blocks, threads, [=] { kernel(from, to, roots, rows, columns, first, fine); });
    return command;
}

void take(FakeCommand &command, Lock &lock, std::vector<FakeRange> ranges)
{
    command.device_ranges = std::move(ranges);
    check_ranges(lock, command);
    for (const auto &one : command.device_ranges)
        for (const auto &other : command.device_ranges)
            if (&one != &other && one.meets(other)) violation(lock, "a kernel's arrays overlap");
}

template <typename Element, void (*kernel)(Element *, const unsigned long long *, unsigned long long,
                                           unsigned long long, unsigned long long, unsigned long long)>
std::shared_ptr<FakeCommand> swapping(Lock &lock, void **parameters, unsigned blocks, unsigned threads)
{
    const auto top = parameter<Element *>(parameters, 0);
    const auto pivots = parameter<const unsigned long long *>(parameters, 1);
    const auto count = parameter<unsigned long long>(parameters, 2),
               columns = parameter<unsigned long long>(parameters, 3),
               row_stride = parameter<unsigned long long>(parameters, 4),
               column_stride = parameter<unsigned long long>(parameters, 5);
    auto command = std::make_shared<FakeCommand>();
    // The rows that are exchanged at least; pivots are not known yet.
    take(*command, lock,
         {range(top, ((count - 1) * row_stride + (columns - 1) * column_stride + 1) * sizeof *top),
          range(pivots, count * sizeof *pivots)});
    // Single elements of columns travel as whole sectors of 32 bytes, both ways.
    const auto bytes = static_cast<double>(column_stride == 1 ? sizeof *top : 32);
    command->seconds =
        simulated(&Speeds::launch) +
        simulated_work(4 * bytes * static_cast<double>(count) * static_cast<double>(columns), &Speeds::memory);
    command->work =
        on_all_threads(blocks, threads, [=] { kernel(top, pivots, count, columns, row_stride, column_stride); });
    return command;
}

template <typename Real, void (*kernel)(const Real *, unsigned long long, unsigned long long, unsigned long long *)>
std::shared_ptr<FakeCommand> searching(Lock &lock, void **parameters, unsigned blocks, unsigned threads)
{
    const auto a = parameter<const Real *>(parameters, 0);
    const auto rows = parameter<unsigned long long>(parameters, 1), ld = parameter<unsigned long long>(parameters, 2);
    const auto flag = parameter<unsigned long long *>(parameters, 3);
    auto command = std::make_shared<FakeCommand>();
    take(*command, lock, {range(a, ((blocks - 1) * ld + rows) * sizeof *a), range(flag, sizeof *flag)});
    command->work = on_all_threads(blocks, threads, [=] { kernel(a, rows, ld, flag); });
    return command;
}

template <typename Real, void (*kernel)(const Real *, unsigned long long, unsigned long long, unsigned long long, Real,
                                        unsigned long long *)>
std::shared_ptr<FakeCommand> judging(Lock &lock, void **parameters, unsigned blocks, unsigned threads)
{
    const auto a = parameter<const Real *>(parameters, 0);
    const auto count = parameter<unsigned long long>(parameters, 1),
               step = parameter<unsigned long long>(parameters, 2),
               parts = parameter<unsigned long long>(parameters, 3);
    const auto least = parameter<Real>(parameters, 4);
    const auto flag = parameter<unsigned long long *>(parameters, 5);
    auto command = std::make_shared<FakeCommand>();
    take(*command, lock, {range(a, ((count - 1) * step + parts) * sizeof *a), range(flag, sizeof *flag)});
    command->seconds = simulated(&Speeds::launch);
    command->work = on_all_threads(blocks, threads, [=] { kernel(a, count, step, parts, least, flag); });
    return command;
}

template <typename Real, void (*kernel)(Real *, unsigned long long, unsigned long long, unsigned long long)>
std::shared_ptr<FakeCommand> making_unit(Lock &lock, void **parameters, unsigned blocks, unsigned threads)
{
    const auto a = parameter<Real *>(parameters, 0);
    const auto row_step = parameter<unsigned long long>(parameters, 1),
               column_step = parameter<unsigned long long>(parameters, 2),
               parts = parameter<unsigned long long>(parameters, 3);
    auto command = std::make_shared<FakeCommand>();
    take(*command, lock, {range(a, ((blocks - 1) * (row_step + column_step) + parts) * sizeof *a)});
    command->seconds = simulated(&Speeds::launch);
    command->work = on_all_threads(blocks, threads, [=] { kernel(a, row_step, column_step, parts); });
    return command;
}

// The functions of a text for the driver.
std::vector<CUfunc_st> functions_of(const std::string &text)
{
    std::vector<CUfunc_st> functions;
    for (const CUfunc_st &known : {CUfunc_st{"twiddle_double", twiddling<double, twiddle_double>},
                                   {"twiddle_float", twiddling<float, twiddle_float>},
                                   {"swap_rows_4", swapping<unsigned, swap_rows_4>},
                                   {"swap_rows_8", swapping<unsigned long long, swap_rows_8>},
                                   {"swap_rows_16", swapping<TwoWords, swap_rows_16>},
                                   {"find_not_finite_double", searching<double, find_not_finite_double>},
                                   {"find_not_finite_float", searching<float, find_not_finite_float>},
                                   {"find_unusable_double", judging<double, find_unusable_double>},
                                   {"find_unusable_float", judging<float, find_unusable_float>},
                                   {"make_unit_lower_double", making_unit<double, make_unit_lower_double>},
                                   {"make_unit_lower_float", making_unit<float, make_unit_lower_float>}})
        if (text.find(std::string(".entry ") + known.name + "(") != std::string::npos) functions.push_back(known);
    return functions;
}

} // namespace

extern "C" {

CudaResult cuModuleLoadData(CudaModuleHandle *module, const void *text)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuModuleLoadData"); code != 0) return result(code);
    auto functions = functions_of(static_cast<const char *>(text));
    if (functions.empty()) return result(invalid_image);
    if (!take_memory(lock, current_context(), state().settings.hidden.module)) return result(out_of_memory);
    *module = new hpart::CUmod_st{std::move(functions)};
    for (auto &function : (*module)->functions) function.module = *module;
    state().modules[*module] = current_context();
    return result(0);
}

CudaResult cuModuleUnload(CudaModuleHandle module)
{
    Lock lock(state().mutex);
    if (const auto code = begin_return(lock, "cuModuleUnload"); code != 0) return result(code);
    const auto found = state().modules.find(module);
    if (found == state().modules.end()) {
        violation(lock, "cuModuleUnload of what is no module");
        return result(invalid_handle);
    }
    if (const auto code = check_context(lock, found->second, "cuModuleUnload"); code != 0) return result(code);
    give_memory(lock, found->second, state().settings.hidden.module);
    state().modules.erase(found);
    delete module;
    return result(state().sticky);
}

CudaResult cuModuleGetFunction(CudaFunction *function, CudaModuleHandle module, const char *name)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuModuleGetFunction"); code != 0) return result(code);
    const auto loaded = state().modules.find(module);
    if (loaded == state().modules.end()) {
        violation(lock, "cuModuleGetFunction of what is no module");
        return result(invalid_handle);
    }
    if (const auto code = check_context(lock, loaded->second, "cuModuleGetFunction"); code != 0) return result(code);
    auto &functions = module->functions;
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [&](const CUfunc_st &one) { return std::strcmp(name, one.name) == 0; });
    if (found == functions.end()) return result(not_found);
    *function = &*found;
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
    const auto loaded = state().modules.find(function->module);
    if (loaded == state().modules.end()) {
        violation(lock, "cuLaunchKernel of a module that is gone");
        return result(invalid_handle);
    }
    if (const auto code = check_context(lock, loaded->second, "cuLaunchKernel"); code != 0) return result(code);
    auto command = function->launch(lock, parameters, grid_x, block_x);
    double bytes = 0;
    for (const auto &range : command->device_ranges) bytes += static_cast<double>(range.bytes);
    if (command->seconds == 0) command->seconds = simulated(&Speeds::launch) + simulated_work(bytes, &Speeds::memory);
    return result(push(lock, stream, std::move(command), "cuLaunchKernel"));
}
}
