#include "drop_in/next_library.hpp"

#include "core/file.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <link.h>

namespace hpart::drop_in
{

namespace
{

// A loaded library: its place, and the libraries that it needs.
struct Library {
    std::string name;
    const void *base = nullptr;
    std::vector<std::string> needed;
};

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

template <typename Type> const Type *pointer_to(ElfW(Addr) address)
{
    return reinterpret_cast<const Type *>(address); // NOLINT(performance-no-int-to-ptr): the loader has numbers
}

std::vector<Library> loaded_libraries()
{
    std::vector<Library> all;
    // The loader is locked here: it is asked for nothing.
    dl_iterate_phdr(
        [](dl_phdr_info *library, std::size_t, void *data) {
            auto &added = static_cast<std::vector<Library> *>(data)->emplace_back();
            if (library->dlpi_name != nullptr) added.name = library->dlpi_name;
            const ElfW(Dyn) *entries = nullptr;
            for (const auto &part : std::span(library->dlpi_phdr, library->dlpi_phnum)) {
                if (part.p_type == PT_DYNAMIC) entries = pointer_to<ElfW(Dyn)>(library->dlpi_addr + part.p_vaddr);
                if (part.p_type == PT_LOAD && added.base == nullptr)
                    added.base = pointer_to<void>(library->dlpi_addr + part.p_vaddr);
            }
            if (entries == nullptr) return 0;
            const char *texts = nullptr;
            for (const auto *entry = entries; entry->d_tag != DT_NULL; ++entry)
                if (entry->d_tag == DT_STRTAB) // an address, or, where the loader leaves it, a distance
                    texts = pointer_to<char>(entry->d_un.d_ptr +
                                             (entry->d_un.d_ptr < library->dlpi_addr ? library->dlpi_addr : 0));
            for (const auto *entry = entries; texts != nullptr && entry->d_tag != DT_NULL; ++entry)
                if (entry->d_tag == DT_NEEDED) added.needed.emplace_back(texts + entry->d_un.d_val);
            return 0;
        },
        &all);
    return all;
}

// Marks the library and all that it needs.
void mark(const std::vector<Library> &all, std::size_t k, std::vector<bool> &marked)
{
    if (marked[k]) return;
    marked[k] = true;
    for (const auto &needed : all[k].needed)
        for (std::size_t other = 0; other < all.size(); ++other)
            if (file_name(all[other].name) == needed) mark(all, other, marked);
}

std::atomic<const DynamicLibrary *> libhpart{nullptr}; // never destroyed: other threads may call until the process ends

const void *base_of(const void *address)
{
    Dl_info owner{};
    return dladdr(address, &owner) != 0 ? owner.dli_fbase : nullptr;
}

// Calls a function of the next library with integers of the family's size.
template <typename Integer>
double seconds_of_product(void *product, Integer n, const double *a, const double *b, double *c)
{
    constexpr double one = 1, zero = 0;
    const auto begin = std::chrono::steady_clock::now();
    reinterpret_cast<void (*)(const char *, const char *, const Integer *, const Integer *, const Integer *,
                              const double *, const double *, const Integer *, const double *, const Integer *,
                              const double *, double *, const Integer *, std::size_t, std::size_t)>(product)(
        "N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

void *find_next(const char *function)
{
    if (auto *const next = dlsym(RTLD_NEXT, function); next != nullptr) return next;
    const auto all = loaded_libraries();
    const auto *const own = base_of(reinterpret_cast<const void *>(&find_next));
    std::vector<bool> of_hpart(all.size());
    if (libhpart.load() != nullptr) {
        const auto *const base = base_of(hpart_symbol("hpart_version"));
        for (std::size_t k = 0; k < all.size(); ++k)
            if (all[k].base == base) mark(all, k, of_hpart);
    }
    for (const bool is_of_hpart : {false, true})
        for (std::size_t k = 1; k < all.size(); ++k) { // the executable is the first
            if (of_hpart[k] != is_of_hpart || all[k].name.empty()) continue;
            auto *const handle = dlopen(all[k].name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
            if (handle == nullptr) continue;
            auto *const found = dlsym(handle, function);
            if (found != nullptr && base_of(found) != own) return found;
            dlclose(handle);
        }
    return nullptr;
}

std::string own_folder()
{
    std::error_code error;
    return std::filesystem::canonical(file_of(reinterpret_cast<const void *>(&find_next)), error)
        .parent_path()
        .string();
}

void load_hpart(const std::string &folder)
{
    // OpenBLAS's dgeqrf then calls its own dgemm, and not the program's.
    constexpr const char *openblas = HPART_OPENBLAS_FILE;
    if (openblas != nullptr) dlopen(openblas, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    auto loaded =
        std::make_unique<DynamicLibrary>("libhpart", std::vector<std::string>{folder + "/" + HPART_FILE, HPART_FILE});
    loaded->symbol(each_accelerator_symbol); // of the same version
    libhpart = loaded.release();
}

void *hpart_symbol(const char *name) { return libhpart.load()->find(name); }

double measured_host_rate(const Family &family)
{
    auto *const product = find_next(family.product);
    if (product == nullptr) return 0; // the program multiplies no doubles
    constexpr int n = 512;
    constexpr auto elements = std::size_t{n} * n;
    const std::vector<double> a(elements, 1), b(elements, 1);
    std::vector<double> c(elements);
    double best = std::numeric_limits<double>::max();
    for (int repetition = 0; repetition < 3; ++repetition)
        best = std::min(best, family.bits == 64
                                  ? seconds_of_product(product, std::int64_t{n}, a.data(), b.data(), c.data())
                                  : seconds_of_product(product, std::int32_t{n}, a.data(), b.data(), c.data()));
    return 2.0 * n * n * n / best;
}

bool has_integers_of(const Family &family)
{
    auto *const largest = find_next(family.largest);
    if (largest == nullptr) return true;
    // A vector of 1 element, or, in 64 bits, of a length below 0, for which the BLAS returns 0.
    constexpr std::int64_t length = std::numeric_limits<std::int64_t>::min() + 1, increment = 1;
    constexpr double element = 1;
    const auto place = reinterpret_cast<std::int32_t (*)(const void *, const double *, const void *)>(largest)(
        &length, &element, &increment);
    return (place == 1) == (family.bits == 32);
}

} // namespace hpart::drop_in
