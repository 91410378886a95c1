#include "core/file.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <functional>

#include <filesystem>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

namespace fs = std::filesystem;

class FileTest : public testing::Test
{
  protected:
    std::string path(const char *name) const { return folder_.file(name); }
    std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_.path()), {}); }

    const support::Folder folder_;
};

Status status_of(const std::function<void()> &action) { return support::error_of(action).status(); }

TEST_F(FileTest, ReadsWhatWasWritten)
{
    const std::string content("a\0b\n", 4);
    write_file(path("new"), content);
    EXPECT_EQ(read_file(path("new")), content);
    write_file(path("new"), "");
    EXPECT_EQ(read_file(path("new")), "");
    EXPECT_EQ(entries(), 1) << "the temporary file is gone";
}

TEST_F(FileTest, ReadsNoByteOrderMark)
{
    write_file(path("a"), "\xEF\xBB\xBF\xEF\xBB\xBFone");
    EXPECT_EQ(read_file(path("a")), "\xEF\xBB\xBFone");
    write_file(path("a"), "\xEF\xBB");
    EXPECT_EQ(read_file(path("a")), "\xEF\xBB");
}

TEST_F(FileTest, WritesTheLongestName)
{
    const std::string longest(255, 'n');
    write_file(path(longest.c_str()), "x");
    EXPECT_EQ(read_file(path(longest.c_str())), "x");
}

TEST_F(FileTest, KeepsModeAndLink)
{
    write_file(path("target"), "old");
    fs::permissions(path("target"), fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("target", path("link"));
    write_file(path("link"), "new");
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(read_file(path("target")), "new");
    EXPECT_EQ(fs::status(path("target")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FileTest, ALinkToNothingMakesItsFile)
{
    fs::create_symlink("target", path("link"));
    require_writable_file(path("link"));
    EXPECT_EQ(entries(), 1);
    write_file(path("link"), "new");
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(read_file(path("target")), "new");
}

TEST_F(FileTest, AFileThatCannotGrowKeepsItsContent)
{
    write_file(path("old"), "old");
    struct rlimit before {
    };
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {64, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = status_of([&] { write_file(path("old"), std::string(1000, 'x')); });
    const auto appended = status_of([&] { append_to_file(path("old"), std::string(1000, 'x')); });
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(written, Status::io);
    EXPECT_EQ(appended, Status::io);
    EXPECT_EQ(read_file(path("old")).substr(0, 3), "old");
    EXPECT_EQ(entries(), 1);
}

TEST_F(FileTest, ANewFileFollowsTheUmask)
{
    const auto old = ::umask(027);
    write_file(path("new"), "x");
    ::umask(old);
    struct stat info {
    };
    ASSERT_EQ(::stat(path("new").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST_F(FileTest, WritesIntoADevice)
{
    EXPECT_NO_THROW(write_file("/dev/null", "x"));
    EXPECT_EQ(status_of([] { write_file("/dev/full", "x"); }), Status::io);
}

TEST_F(FileTest, FailsWithTheReason)
{
    EXPECT_EQ(status_of([&] { static_cast<void>(read_file(path("missing"))); }), Status::io);
    EXPECT_EQ(status_of([&] { static_cast<void>(read_file(folder_.path())); }), Status::io);
    EXPECT_EQ(status_of([&] { static_cast<void>(read_file("/dev/zero")); }), Status::io);
    EXPECT_EQ(status_of([&] { write_file(folder_.path(), "x"); }), Status::io);
    EXPECT_EQ(status_of([&] { write_file(path("no/such/folder"), "x"); }), Status::io);
    EXPECT_EQ(status_of([&] { write_file("", "x"); }), Status::io);
    EXPECT_EQ(entries(), 0);
}

} // namespace
} // namespace hpart
