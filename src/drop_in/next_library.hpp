// The BLAS that a program would have without the drop-in BLAS, and libhpart.
#pragma once

#include <string>

namespace hpart::drop_in
{

// Names of one kind, which a program takes from one library: its product of doubles, its largest element, and its integers.
struct Family {
    const char *product, *largest;
    int bits;
};

// Returns the function that the program would have without this library: of the next library in the loader's order, or of a library that it
// loads for itself, as Python's modules do. The libraries that hpart alone brings come last. A library that was found stays loaded. Null:
// none has it.
void *find_next(const char *function);

// Returns operations a second of a product of 512 x 512 doubles by the next library, with the threads and the processor of the program's
// other calls; 0 if there is none.
double measured_host_rate(const Family &family);

// False if the next library has integers of another size under the family's names, as Debian's libopenblas64.
bool has_integers_of(const Family &family);

// Loads libhpart; before, the drop-in BLAS has nothing of it. A library that is preloaded lends the symbols of all libraries that it needs
// to the program, whose own BLAS might be replaced by hpart's. folder: where libhpart is, unless the loader knows it. Status::unsupported if
// it cannot be loaded, or is of another version.
void load_hpart(const std::string &folder);

// The private function hpart::each_accelerator of libhpart.
constexpr const char *each_accelerator_symbol = "_ZN5hpart16each_acceleratorEPFvPvPKcES0_";

// The folder of this library.
std::string own_folder();

// A function of libhpart, which is loaded.
void *hpart_symbol(const char *name);
#define HPART(function) (*reinterpret_cast<decltype(&(function))>(hpart::drop_in::hpart_symbol(#function)))

} // namespace hpart::drop_in
