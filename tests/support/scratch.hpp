// A folder of the test's own and a variable of the environment, each for as long as its object lives.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace support
{

// Other users can read it.
class Folder
{
  public:
    explicit Folder(const std::filesystem::path &parent = std::filesystem::temp_directory_path())
    {
        auto name = (parent / "hpart_test_XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
        path_ = name;
        using std::filesystem::perms;
        std::filesystem::permissions(path_, perms::owner_all | perms::group_read | perms::group_exec |
                                                perms::others_read | perms::others_exec);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder()
    {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }

    const std::filesystem::path &path() const { return path_; }
    std::string file(const std::string &name = "file") const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

class Variable
{
  public:
    Variable(const char *name, const std::string &value) : name_(name)
    {
        if (const auto *const before = std::getenv(name)) before_ = before;
        ::setenv(name, value.c_str(), 1);
    }
    Variable(const Variable &) = delete;
    Variable &operator=(const Variable &) = delete;
    ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

  private:
    const char *name_;
    std::optional<std::string> before_;
};

} // namespace support
