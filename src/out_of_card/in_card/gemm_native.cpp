#include "core/error.hpp"
#include "host/single_threaded_blas.hpp"
#include "out_of_card/devices/opencl_native.hpp"
#include "out_of_card/in_card/gemm_cblas.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace hpart
{

namespace
{

// A pool of places where the addresses of A and B wait for the command that has C's. A launch takes one, its last command gives it back; what
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

struct NativeProduct {
    AddressPool *pool = nullptr;
    AddressPool::Addresses *addresses = nullptr;
    Scalar type = Scalar::d;
    DeviceGemm what;
    void *memory = nullptr; // of C
};

// Sizes were checked before: nothing throws here.
void CL_CALLBACK run_product(void *memory)
{
    const auto &arguments = *static_cast<const NativeProduct *>(memory);
    const auto at = [&](void *buffer, const DeviceMatrix &matrix) {
        return static_cast<char *>(buffer) + matrix.offset * bytes_of(arguments.type);
    };
    const auto &what = arguments.what;
    const auto [a, b] = *arguments.addresses;
    arguments.pool->give_back(arguments.addresses);
    const SingleThreadedBlas single; // the driver has given us this thread alone
    multiply_by_cblas(arguments.type, what, {at(a, what.a), at(b, what.b), at(arguments.memory, what.c)});
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

    Launch product(const DeviceGemm &what) override
    {
        check_cblas_sizes(what);
        return [pool = pool_, type = type_, what](LaunchContext &context) {
            auto *const addresses = pool->take();
            const auto first = enqueue_address(context, *what.a.buffer, &addresses->a);
            enqueue_address(context, *what.b.buffer, &addresses->b);
            const auto last = enqueue_native(context, run_product,
                                             NativeProduct{pool.get(), addresses, type, what, nullptr}, *what.c.buffer);
            clRetainEvent(first.get());
            clRetainEvent(last.get());
            context.first_event = first.get();
            context.last_event = last.get();
        };
    }

  private:
    Scalar type_;
    std::shared_ptr<AddressPool> pool_ =
        std::make_shared<AddressPool>(); // as long as the device, so beyond all commands
};

} // namespace

std::shared_ptr<InCardGemm> make_native_gemm(DeviceSession &, Scalar type)
{
    return std::make_shared<NativeGemm>(type);
}

} // namespace hpart
