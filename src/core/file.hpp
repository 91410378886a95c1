// Files read whole and written atomically, by the library and by the command.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace hpart
{

// The target of a symbolic link, which need not exist. A link of /proc names an open file and is kept.
std::string resolve_link(const std::string &path);

// Names in a folder, sorted; none when it cannot be read.
std::vector<std::string> names_in(const std::string &folder);

// The content, without a UTF-8 byte order mark before it. Status::io with the system's reason when the file cannot be read.
std::string read_file(const std::string &path);
// "" when it cannot be read.
std::string content_of_file(const std::string &path);

// "./app: 12345 bytes, changed 2026-11-29 12:00:03.123456789 UTC"; "" when the system does not tell.
std::string describe_file(const std::string &path);

// The file has either its old content or the new one, whatever happens: written beside it, synchronised, renamed. Its mode and
// a symbolic link to it stay.
// Status::io with the system's reason; nothing is left behind.
void write_file(const std::string &path, std::string_view content);

// True if write_file replaces the file, or makes it: pipes, devices and open files, as /dev/stdout, are written as they are.
bool is_replaced_file(const std::string &path);

// Returns when the content stands at the end of the file, on the disk. A kill meanwhile leaves a part of it. Status::io.
void append_to_file(const std::string &path, std::string_view content);

// Fails as write_file would, before hours are spent on content that cannot be kept. The file is left as it is.
void require_writable_file(const std::string &path);

// All of it to a descriptor: 0, or the system's error.
int write_all(int descriptor, std::string_view content);

// A file descriptor that closes itself.

class Descriptor
{
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor &operator=(Descriptor &&other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() { close(); }

    int get() const { return number_; }
    // Returns the system's result: closing can be the first to report a full disk.
    int close()
    {
        const int number = std::exchange(number_, -1);
        return number >= 0 ? ::close(number) : 0;
    }

  private:
    int number_;
};

// Libraries that are found when the program runs.

// Stays loaded to the end of the process: drivers leave threads and handlers behind.
class DynamicLibrary
{
  public:
    // Loads the first library of these names or paths that can be loaded. Status::unsupported if none can: with the loader's
    // message on a library that exists, or else with the places searched. The message names the library `what`.
    DynamicLibrary(const char *what, const std::vector<std::string> &names);

    // Its path, or the name under which it was found.
    const std::string &name() const { return name_; }
    // Status::unsupported when it has none of this name.
    void *symbol(const char *symbol) const;
    // Null when it has none.
    void *find(const char *symbol) const;

    template <typename Function> void bind(Function *&function, const char *symbol_name) const
    {
        function = reinterpret_cast<Function *>(symbol(symbol_name));
    }
    template <typename Function> void bind_if_there(Function *&function, const char *symbol_name) const
    {
        function = reinterpret_cast<Function *>(find(symbol_name));
    }

  private:
    const char *what_;
    std::string name_;
    void *handle_ = nullptr;
};

// Null where the process has no library of this file name, or the library no such symbol.
void *find_in_loaded(const char *file, const char *symbol);

// A symbol of the library of this file name, which this one was linked with. Libraries in a wheel have other names: then the symbol of the
// first needed library that has it. Null if the file is null, as in static builds.
void *find_own(const char *file, const char *symbol);

// The function of the library that this one was linked with. `linked` may be another library's of the process: a program's own BLAS, MKL,
// or a library that was preloaded. It is taken where the file is unknown.
template <typename Function> Function *own_function(const char *file, Function *linked, const char *symbol)
{
    auto *const own = find_own(file, symbol);
    return own != nullptr ? reinterpret_cast<Function *>(own) : linked;
}

// The file that has this function or variable, or "".
std::string file_of(const void *address);

// One writer of a file at a time.

// A lock on an empty file beside the target, since the target itself is replaced by renaming. The system releases it when the process
// ends. File systems without locks get none.
class FileLock
{
  public:
    // Status::io when another call, of this or another process, holds it for longer than the patience, or the folder takes no
    // file.
    explicit FileLock(const std::string &target, std::chrono::milliseconds patience = {});
    FileLock(const FileLock &) = delete;
    FileLock &operator=(const FileLock &) = delete;
    ~FileLock();

  private:
    bool take(const std::string &target);
    bool is_beside() const;

    std::string path_;
    Descriptor file_;
};

} // namespace hpart
