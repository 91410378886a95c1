// The part of cuFFT that the library uses, found when a CUDA device first needs it, and its plans.
#pragma once

#include "out_of_card/devices/cuda_driver.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace hpart
{

using CufftHandle = int;

enum class CufftStatus : int { success = 0, alloc_failed = 2, internal_error = 5 };
// From CUDA's list of types.
enum class CudaType : int { real_float = 0, real_double = 1, complex_float = 4, complex_double = 5 };

// One-dimensional transforms; distances in numbers of the side's own type.
struct CufftLayout {
    struct Side {
        CudaType type;
        long long stride, distance;
    };
    long long length, batch;
    Side in, out;
    CudaType execution;
};

class CufftLibrary
{
  public:
    // Status::unsupported where it is not installed.
    explicit CufftLibrary(const CudaDriver &driver);

    CufftStatus (*create)(CufftHandle *plan) = nullptr;
    CufftStatus (*destroy)(CufftHandle plan) = nullptr;
    CufftStatus (*set_auto_allocation)(CufftHandle plan, int allocate) = nullptr;
    CufftStatus (*make_plan_many)(CufftHandle plan, int rank, long long *n, long long *in_size, long long in_stride,
                                  long long in_distance, CudaType in_type, long long *out_size, long long out_stride,
                                  long long out_distance, CudaType out_type, long long batch, std::size_t *work_bytes,
                                  CudaType execution_type) = nullptr;
    CufftStatus (*set_stream)(CufftHandle plan, CudaStream stream) = nullptr;
    CufftStatus (*set_work_area)(CufftHandle plan, void *work_area) = nullptr;
    CufftStatus (*execute)(CufftHandle plan, void *in, void *out, int direction) = nullptr;

    static void check(CufftStatus status, const char *call);
    // The library's place.
    const std::string &name() const { return name_; }

  private:
    std::string name_;
};

class CufftPlan
{
  public:
    // The rest of the memory that goes meanwhile is the library's code, or another process's.
    CufftPlan(std::shared_ptr<CudaContext> context, std::shared_ptr<const CufftLibrary> library,
              const CufftLayout &layout, std::int64_t most_table_bytes);
    CufftPlan(const CufftPlan &) = delete;
    CufftPlan &operator=(const CufftPlan &) = delete;
    ~CufftPlan();

    // Memory of a run besides the data.
    std::int64_t work_bytes() const { return work_bytes_; }
    // Device memory that the plan itself keeps.
    std::int64_t table_bytes() const { return table_bytes_; }
    // Sets the stream and work area of the next runs. The context is current.
    void use(CudaStream stream, void *work_area) const;
    void run(void *in, void *out, int sign) const;

  private:
    std::shared_ptr<CudaContext> context_;
    std::shared_ptr<const CufftLibrary> library_;
    CufftHandle handle_ = 0;
    std::int64_t work_bytes_ = 0, table_bytes_ = 0;
};

} // namespace hpart
