#include "out_of_card/gemm/gemm.hpp"
#include "c_api/device.hpp"
#include "c_api/handles.hpp"
#include "c_api/operands.hpp"
#include "core/numbers.hpp"
#include "out_of_card/in_card/gemm.hpp"

using namespace hpart;
using namespace hpart::c_api;

namespace
{

// As the caller gives them.
struct GemmArguments {
    Scalar type;
    std::int32_t layout, transa, transb;
    std::int64_t m, n, k;
    CoefficientArgument alpha;
    const void *a;
    std::int64_t lda;
    const void *b;
    std::int64_t ldb;
    CoefficientArgument beta;
    void *c;
    std::int64_t ldc;
};

GemmCall checked_call(const GemmArguments &given, bool dry)
{
    GemmCall call;
    call.type = given.type;
    call.row_major = row_major_of(given.layout);
    call.transpose_a = transpose_of(given.transa, "transa");
    call.transpose_b = transpose_of(given.transb, "transb");
    check_size(call.m = given.m, "m");
    check_size(call.n = given.n, "n");
    check_size(call.k = given.k, "k");
    call.alpha = given.alpha.get("alpha");
    call.beta = given.beta.get("beta");
    call.a = given.a, call.lda = given.lda;
    call.b = given.b, call.ldb = given.ldb;
    call.c = given.c, call.ldc = given.ldc;

    const bool a_plain = call.transpose_a == Transpose::none, b_plain = call.transpose_b == Transpose::none;
    const bool reads = !dry && call.alpha != Coefficient(0) && call.m > 0 && call.n > 0;
    const auto a = checked(
        {'a', call.type, call.row_major, a_plain ? call.m : call.k, a_plain ? call.k : call.m, call.a, call.lda},
        reads);
    const auto b = checked(
        {'b', call.type, call.row_major, b_plain ? call.k : call.n, b_plain ? call.n : call.k, call.b, call.ldb},
        reads);
    const auto c = checked({'c', call.type, call.row_major, call.m, call.n, call.c, call.ldc}, !dry);
    check_apart(c, a);
    check_apart(c, b);
    return call;
}

hpart_status run(hpart_device *device, const GemmArguments &given, const hpart_options *options, hpart_report **report)
{
    return operate(device, options, call_gemm, report,
                   [&](DeviceGroup &devices, const Options &settings, Report &about) {
                       gemm(devices, checked_call(given, is_dry(settings)), settings, about);
                   });
}

struct GemvArguments {
    Scalar type;
    std::int32_t layout, trans;
    std::int64_t m, n;
    CoefficientArgument alpha;
    const void *a;
    std::int64_t lda;
    const void *x;
    std::int64_t incx;
    CoefficientArgument beta;
    void *y;
    std::int64_t incy;
};

GemvCall checked_call(const GemvArguments &given, bool dry)
{
    GemvCall call;
    call.type = given.type;
    call.row_major = row_major_of(given.layout);
    call.transpose_a = transpose_of(given.trans, "trans");
    check_size(call.m = given.m, "m");
    check_size(call.n = given.n, "n");
    call.alpha = given.alpha.get("alpha");
    call.beta = given.beta.get("beta");
    call.a = given.a, call.lda = given.lda;
    call.x = given.x, call.incx = given.incx;
    call.y = given.y, call.incy = given.incy;

    const bool plain = call.transpose_a == Transpose::none;
    const bool reads = !dry && call.alpha != Coefficient(0) && call.m > 0 && call.n > 0;
    const auto a = checked({'a', call.type, call.row_major, call.m, call.n, call.a, call.lda}, reads);
    const auto x = checked(VectorArgument{'x', call.type, plain ? call.n : call.m, call.x, call.incx}, reads);
    const auto y = checked(VectorArgument{'y', call.type, plain ? call.m : call.n, call.y, call.incy}, !dry);
    check_apart(y, a);
    check_apart(y, x);
    return call;
}

hpart_status run(hpart_device *device, const GemvArguments &given, const hpart_options *options, hpart_report **report)
{
    return operate(device, options, call_gemv, report,
                   [&](DeviceGroup &devices, const Options &settings, Report &about) {
                       gemv(devices, checked_call(given, is_dry(settings)), settings, about);
                   });
}

} // namespace

extern "C" {

#define HPART_DEFINE(T, Value, Number)                                                                                 \
    hpart_status hpart_##T##gemm(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,      \
                                 int64_t n, int64_t k, Number alpha, const Value *a, int64_t lda, const Value *b,      \
                                 int64_t ldb, Number beta, Value *c, int64_t ldc, const hpart_options *options,        \
                                 hpart_report **report)                                                                \
    {                                                                                                                  \
        return run(device,                                                                                             \
                   GemmArguments{Scalar::T,                                                                            \
                                 layout,                                                                               \
                                 transa,                                                                               \
                                 transb,                                                                               \
                                 m,                                                                                    \
                                 n,                                                                                    \
                                 k,                                                                                    \
                                 {Scalar::T, alpha},                                                                   \
                                 a,                                                                                    \
                                 lda,                                                                                  \
                                 b,                                                                                    \
                                 ldb,                                                                                  \
                                 {Scalar::T, beta},                                                                    \
                                 c,                                                                                    \
                                 ldc},                                                                                 \
                   options, report);                                                                                   \
    }                                                                                                                  \
    hpart_status hpart_##T##gemv(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n,            \
                                 Number alpha, const Value *a, int64_t lda, const Value *x, int64_t incx, Number beta, \
                                 Value *y, int64_t incy, const hpart_options *options, hpart_report **report)          \
    {                                                                                                                  \
        return run(                                                                                                    \
            device,                                                                                                    \
            GemvArguments{                                                                                             \
                Scalar::T, layout, trans, m, n, {Scalar::T, alpha}, a, lda, x, incx, {Scalar::T, beta}, y, incy},      \
            options, report);                                                                                          \
    }
HPART_ALL_TYPES(HPART_DEFINE)
#undef HPART_DEFINE

} // extern "C"

namespace
{

constexpr std::string_view letters = "sdcz"; // in the order of Scalar

Scalar scalar_of(std::int32_t type)
{
    const auto at = type > 0 && type < 128 ? letters.find(static_cast<char>(type)) : std::string_view::npos;
    if (at == std::string_view::npos) fail_argument("type is ", type, "; it must be 's', 'd', 'c' or 'z'");
    return static_cast<Scalar>(at);
}

void check_range(const char *name, std::int64_t value, std::int64_t least, std::int64_t most)
{
    if (value < least || value > most) fail_argument(name, " is ", value, "; it must be ", least, " to ", most);
}

// The user's function and the pointer that it owns. The kernels of all devices of a list share it.
class UserProduct
{
  public:
    UserProduct(hpart_gemm_enqueue enqueue, void *user, Scalar type) : enqueue_(enqueue), user_(user), type_(type) {}
    UserProduct(const UserProduct &) = delete;
    UserProduct &operator=(const UserProduct &) = delete;
    ~UserProduct() { free_quietly(free_user_, user_); }
    // Until then the caller owns the user pointer.
    void own(hpart_free free_user) { free_user_ = free_user; }

    void add(std::int32_t device, void *queue, const DeviceGemm &what) const
    {
        with_type(type_, [&]<typename Value>() { add_of<Value>(device, queue, what); });
    }

  private:
    template <typename Value> void add_of(std::int32_t device, void *queue, const DeviceGemm &what) const
    {
        constexpr std::int32_t transposes[] = {HPART_NO_TRANSPOSE, HPART_TRANSPOSE, HPART_CONJUGATE_TRANSPOSE};
        const auto trans = [&](Transpose one) { return transposes[static_cast<std::size_t>(one)]; };
        const auto alpha = coefficient_as<Value>(what.alpha), beta = coefficient_as<Value>(what.beta);
        hpart_product product{};
        product.type = letters[static_cast<std::size_t>(type_)];
        product.device = device;
        product.transa = trans(what.transpose_a), product.transb = trans(what.transpose_b);
        product.m = what.m, product.n = what.n, product.k = what.k;
        product.alpha = &alpha, product.beta = &beta;
        product.a = what.a.buffer->native(), product.offset_a = what.a.offset, product.lda = what.a.ld;
        product.b = what.b.buffer->native(), product.offset_b = what.b.offset, product.ldb = what.b.ld;
        product.c = what.c.buffer->native(), product.offset_c = what.c.offset, product.ldc = what.c.ld;
        product.scratch = what.scratch == nullptr ? nullptr : what.scratch->native();
        const int stop = call_("the product", [&] { return enqueue_(queue, &product, user_); });
        if (stop != 0) fail(Status::callback, "the product of hpart_device_set_gemm returned ", stop);
    }

    Callback call_;
    hpart_gemm_enqueue enqueue_;
    void *user_;
    Scalar type_;
    hpart_free free_user_ = nullptr;
};

} // namespace

extern "C" {

hpart_status hpart_device_set_gemm(hpart_device *device, int32_t type, int64_t row_multiple, int64_t column_multiple,
                                   int64_t largest_side, int64_t scratch_bytes, hpart_gemm_enqueue enqueue, void *user,
                                   hpart_free free_user)
{
    return guarded([&] {
        require(device, "device");
        const auto scalar = scalar_of(type);
        auto &sessions = device->devices.sessions;
        if (enqueue == nullptr) {
            for (const auto &session : sessions) set_user_gemm(*session, scalar, nullptr);
            return;
        }
        constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
        constexpr std::int64_t most_multiple = 65536, least_side = 1024;
        check_range("row_multiple", row_multiple, 1, most_multiple);
        check_range("column_multiple", column_multiple, 1, most_multiple);
        if (largest_side != 0 && largest_side < least_side)
            fail_argument("largest_side is ", largest_side, "; it must be 0 or at least ", least_side);
        if (scratch_bytes < 0) fail_argument("scratch_bytes is ", scratch_bytes, "; it must not be negative");
        const auto product = std::make_shared<UserProduct>(enqueue, user, scalar);
        std::vector<std::shared_ptr<InCardGemm>> made;
        for (const auto &session : sessions) {
            const auto number = static_cast<std::int32_t>(made.size());
            made.push_back(checked_user_gemm(
                *session, scalar,
                {row_multiple, column_multiple, largest_side == 0 ? any : largest_side, scratch_bytes,
                 [product, number](void *queue, const DeviceGemm &what) { product->add(number, queue, what); }}));
        }
        for (std::size_t k = 0; k < made.size(); ++k) set_user_gemm(*sessions[k], scalar, std::move(made[k]));
        product->own(free_user);
    });
}

} // extern "C"
