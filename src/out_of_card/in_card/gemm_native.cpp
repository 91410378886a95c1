#include "core/error.hpp"
#include "host/single_threaded_blas.hpp"
#include "out_of_card/in_card/gemm_cblas.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"
#include "out_of_card/in_card/opencl_kernel.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace hpart
{

namespace
{

// Where the addresses of A and B wait for the command that has C's. A launch takes one, its last command gives it back; what
// a failed launch took goes with the pool.
class AddressPool
{
  public:
    struct Addresses {
        void *a = nullptr, *b = nullptr;
    };

    Addresses *take()
    {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) {
            free_.reserve(all_.size() + 1); // so that giving back takes no memory
            all_.push_back(std::make_unique<Addresses>());
            return all_.back().get();
        }
        auto *const taken = free_.back();
        free_.pop_back();
        return taken;
    }
    void give_back(Addresses *taken)
    {
        const std::lock_guard lock(mutex_);
        free_.push_back(taken);
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Addresses>> all_;
    std::vector<Addresses *> free_;
};

// What the driver hands to a native kernel: a copy of these, into which it puts the buffer's address. Each has one buffer:
// some drivers (PoCL 3.1) put in the addresses of several by the age of the buffers, whatever order they are given in.
struct NativeAddress {
    void **to = nullptr;
    void *memory = nullptr;
};

struct NativeProduct {
    AddressPool *pool = nullptr;
    AddressPool::Addresses *addresses = nullptr;
    void *c = nullptr;
    Scalar type = Scalar::d;
    CardGemm what;
};

void CL_CALLBACK keep_address(void *memory)
{
    const auto &arguments = *static_cast<const NativeAddress *>(memory);
    *arguments.to = arguments.memory;
}

// Sizes were checked before: nothing throws here.
void CL_CALLBACK run_product(void *memory)
{
    const auto &arguments = *static_cast<const NativeProduct *>(memory);
    const auto at = [&](void *buffer, const CardMatrix &matrix) {
        return static_cast<char *>(buffer) + matrix.offset * bytes_of(arguments.type);
    };
    const auto &what = arguments.what;
    const auto [a, b] = *arguments.addresses;
    arguments.pool->give_back(arguments.addresses);
    const SingleThreadedBlas single; // the driver has given us this thread alone
    multiply_by_cblas(arguments.type, what, {at(a, what.a), at(b, what.b), at(arguments.c, what.c)});
}

template <typename Arguments>
ClEvent enqueue(LaunchContext &context, void(CL_CALLBACK *run)(void *), Arguments arguments, void *Arguments::*place,
                const CardMatrix &matrix)
{
    auto *const buffer = opencl_native(*matrix.buffer);
    const void *places[] = {&(arguments.*place)};
    cl_event event = nullptr;
    check_cl(clEnqueueNativeKernel(opencl_queue(context), run, &arguments, sizeof arguments, 1, &buffer, places, 0,
                                   nullptr, &event),
             "clEnqueueNativeKernel");
    return ClEvent(event);
}

// The BLAS on one of the device's own threads.
class NativeGemm final : public InCardGemm
{
  public:
    explicit NativeGemm(Scalar type) : type_(type) {}
    std::string_view name() const override { return "openblas"; }
    Scalar type() const override { return type_; }
    std::int64_t row_multiple() const override { return 1; }
    std::int64_t column_multiple() const override { return 1; }
    std::int64_t hidden_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

    Launch product(const CardGemm &what) override
    {
        check_cblas_sizes(what);
        return [pool = pool_, type = type_, what](LaunchContext &context) {
            auto *const addresses = pool->take();
            const auto first =
                enqueue(context, keep_address, NativeAddress{&addresses->a}, &NativeAddress::memory, what.a);
            enqueue(context, keep_address, NativeAddress{&addresses->b}, &NativeAddress::memory, what.b);
            const auto last = enqueue(context, run_product, NativeProduct{pool.get(), addresses, nullptr, type, what},
                                      &NativeProduct::c, what.c);
            clRetainEvent(first.get());
            clRetainEvent(last.get());
            context.first_event = first.get();
            context.last_event = last.get();
        };
    }

  private:
    Scalar type_;
    std::shared_ptr<AddressPool> pool_ = std::make_shared<AddressPool>(); // as long as the card, so beyond all commands
};

} // namespace

std::shared_ptr<InCardGemm> make_native_gemm(DeviceSession &, Scalar type)
{
    return std::make_shared<NativeGemm>(type);
}

} // namespace hpart
