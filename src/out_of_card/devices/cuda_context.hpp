// A CUDA device's primary context, held for as long as something of it is alive, and made current around calls: any thread
// may make one.
#pragma once

#include "out_of_card/devices/cuda_driver.hpp"
#include "out_of_card/devices/device.hpp"

#include <mutex>
#include <new>
#include <string>

namespace hpart
{

class CudaContext
{
  public:
    // Status::device when there is no device of this number, or it cannot be used.
    CudaContext(const CudaLibraries &libraries, std::int64_t number);
    CudaContext(const CudaContext &) = delete;
    CudaContext &operator=(const CudaContext &) = delete;
    ~CudaContext();

    const CudaDriver &driver() const { return driver_; }
    CudaDeviceNumber device() const { return device_; }
    CudaContextHandle handle() const { return handle_; }
    // Zero where the driver does not know it.
    int attribute(CudaAttribute attribute) const;
    // The device's free memory. The context must be current.
    std::int64_t free_bytes() const;
    void check(CudaResult result, const char *call) const { driver_.check(result, call); }

    // CUDA's errors of commands stick: the whole context is of no use after one, and no command can be told to have ended
    // well. The first is kept.
    void note_failure(CudaResult result);
    bool has_failed() const { return failed_; }
    std::string failure() const;
    // Status::device once it has failed.
    void check_usable() const;

    Census &census() { return census_; }

  private:
    CudaDriver driver_;
    CudaDeviceNumber device_ = 0;
    CudaContextHandle handle_ = nullptr;
    std::atomic<bool> failed_{false};
    mutable std::mutex mutex_;
    std::string failure_;
    Census census_;
};

// While one exists the context is this thread's current one.
class CudaCurrent
{
  public:
    explicit CudaCurrent(const CudaContext &context);
    // For what gives things back, which goes on whatever happens. It is false where the driver or the context is gone, and
    // all that belonged to it: then nothing is to be given back.
    CudaCurrent(const CudaContext &context, std::nothrow_t) noexcept;
    explicit operator bool() const { return pushed_; }
    CudaCurrent(const CudaCurrent &) = delete;
    CudaCurrent &operator=(const CudaCurrent &) = delete;
    ~CudaCurrent();

  private:
    const CudaContext &context_;
    bool pushed_;
};

// Rectangles from and to the device and on it. The context is current.
template <typename Address> struct CudaRows {
    Address first;
    std::int64_t pitch_bytes;
};

void copy_in(const CudaContext &context, CudaStream stream, const CudaRows<CudaAddress> &to,
             const CudaRows<const void *> &from, const Rectangle &rectangle);
void copy_out(const CudaContext &context, CudaStream stream, const CudaRows<void *> &to,
              const CudaRows<CudaAddress> &from, const Rectangle &rectangle);
void copy_on_device(const CudaContext &context, CudaStream stream, const CudaRows<CudaAddress> &to,
                    const CudaRows<CudaAddress> &from, const Rectangle &rectangle);

} // namespace hpart
