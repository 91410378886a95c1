// Matrix products of data that is on the device: one interface, a kernel a kind of device.
#pragma once

#include "out_of_card/devices/device.hpp"
#include "out_of_card/scalar.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Row-major, as stored: op() is not applied. Offsets and the leading dimension are in elements.
struct DeviceMatrix {
    DeviceBuffer *buffer = nullptr;
    std::int64_t offset = 0;
    std::int64_t ld = 0;
};

// Which of C's elements (i, j) are asked for: all, those with i >= j, those with i <= j. The others may be changed too, to
// anything.
enum class GemmPart : std::uint8_t { whole, lower, upper };

// C = alpha op(A) op(B) + beta C; op(A) is m x k, op(B) k x n, C m x n. Where beta is 0, C is not read.
struct DeviceGemm {
    std::int64_t m = 0, n = 0, k = 0; // all positive
    Transpose transpose_a = Transpose::none, transpose_b = Transpose::none;
    Coefficient alpha = 1, beta = 0;
    DeviceMatrix a, b, c;
    GemmPart part = GemmPart::whole;
    // scratch_bytes or more, for one product at a time; where it is null the kernel allocates them for each launch.
    DeviceBuffer *scratch = nullptr;
};

class InCardGemm
{
  public:
    InCardGemm() = default;
    InCardGemm(const InCardGemm &) = delete;
    InCardGemm &operator=(const InCardGemm &) = delete;
    virtual ~InCardGemm() = default;
    // "blocked", "clblast", "cublas", "openblas", "tiled"; the caller's own: "user", "source:FILE", "binary:FILE"
    virtual std::string_view name() const = 0;
    // "tf32" if its library computes so, and not as usual; also a part of the name.
    virtual std::string_view math_mode() const { return ""; }
    // No other kernel of this process has it.
    std::uint64_t id() const { return id_; }
    virtual Scalar type() const = 0;
    // C tiles whose rows and columns are multiples of these run at the full rate.
    virtual std::int64_t row_multiple() const = 0;
    virtual std::int64_t column_multiple() const = 0;
    // The longest side of a product, and of the rows of its operands' matrices.
    virtual std::int64_t largest_side() const { return std::numeric_limits<std::int64_t>::max(); }
    // Memory that products up to this size take on the device beside their operands.
    virtual std::int64_t scratch_bytes(std::int64_t m, std::int64_t n, std::int64_t k) const = 0;
    // True if a part takes less time than the whole.
    virtual bool passes_over_parts() const { return false; }
    // One product; compiles at the first use of a variant.
    virtual Launch product(const DeviceGemm &what) = 0;

  private:
    inline static std::atomic<std::uint64_t> made_{0};
    std::uint64_t id_ = ++made_;
};

// Such memory, on the device's account; null where none is needed.
SessionBuffer allocate_scratch(DeviceSession &session, const InCardGemm &kernel, std::int64_t m, std::int64_t n,
                               std::int64_t k);
// Its scratch in the device's memory; more than there can be if no buffer is so large.
std::int64_t scratch_taken(const DeviceSession &session, const InCardGemm &kernel, std::int64_t m, std::int64_t n,
                           std::int64_t k);

// The kernels that this device can run for this type, best guess first; empty where the device or the
// build has none for it.
std::vector<std::string> in_card_gemm_names(DeviceSession &session, Scalar type);
// By name, or the caller's own or else the best guess ("" or "auto"); kept in the device.
// Fails, naming those there are, for another name: Status::unsupported for one of another device or build, else
// Status::invalid_argument.
std::shared_ptr<InCardGemm> in_card_gemm(DeviceSession &session, Scalar type, std::string_view name = "");
// The caller's own product, of row-major matrices.
struct UserGemm {
    std::int64_t row_multiple = 1, column_multiple = 1; // its tile of C
    std::int64_t largest_side = std::numeric_limits<std::int64_t>::max();
    std::int64_t scratch_bytes = 0; // it gets them in DeviceGemm::scratch
    // Adds one product to the native queue; on the host it computes it. Throws where it cannot.
    std::function<void(void *queue, const DeviceGemm &)> enqueue;
};
// Made and compared with the host. Status::invalid_argument if it computes another product.
std::shared_ptr<InCardGemm> checked_user_gemm(DeviceSession &session, Scalar type, UserGemm kernel);
// From now on "auto" is this kernel, named "user", for products of this type. Null: the device's own again.
void set_user_gemm(DeviceSession &session, Scalar type, std::shared_ptr<InCardGemm> kernel);

// Fails as in_card_gemm does for a type or a name that the device lacks; makes nothing.
void check_in_card_gemm(DeviceSession &session, Scalar type, std::string_view name);

// The kinds of in-card products.

struct GemmKind {
    std::string_view name;
    std::shared_ptr<InCardGemm> (*make)(DeviceSession &, Scalar);
};

// Kinds for devices of backend `opencl`, best guess first.
std::vector<GemmKind> opencl_gemm_kinds(DeviceSession &session);

std::shared_ptr<InCardGemm> make_host_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_cublas_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_blocked_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_clblast_gemm(DeviceSession &session, Scalar type);
std::shared_ptr<InCardGemm> make_tiled_gemm(DeviceSession &session, Scalar type);
// first: index of a tiling, from 0 to 5; the first tiling from it on that the device can run.
std::shared_ptr<InCardGemm> make_tiled_gemm(DeviceSession &session, Scalar type, std::size_t first);

// Under which name a session keeps the kind that "auto" is.
std::string name_of_best_gemm(Scalar type);
// Under which name a session keeps the caller's product.
std::string name_of_user_gemm(Scalar type);

// Fails with Status::invalid_argument and the element that is wrong if the kernel computes another product than the host, with
// Status::out_of_memory where not even a product of one element fits the memory that is left.
void check_gemm(DeviceSession &session, InCardGemm &kernel);

// The caller's own kernel: "source:FILE" or "binary:FILE".
bool is_gemm_of_file(std::string_view name);
// Not compared with the host yet. Status::io or Status::format for the file, Status::device for what the device's compiler refuses,
// Status::invalid_argument for other arguments and groups that are too large.
std::shared_ptr<InCardGemm> make_gemm_of_file(DeviceSession &session, Scalar type, const std::string &name);

} // namespace hpart
