"""The recipes of packaging/ and CITATION.cff: they can be parsed, have the project's version and licence, name its
options, and packaging/debian/ puts each installed file into one package. usage: recipes_test.py PROJECT PREFIX LIBDIR"""

import json
import pathlib
import re
import sys
import unittest

try:
    import yaml
except ImportError:
    yaml = None

PROJECT, PREFIX, LIBDIR = map(pathlib.Path, sys.argv[1:4])
CMAKE = (PROJECT / "CMakeLists.txt").read_text()
VERSION = re.search(r"^  VERSION ([0-9.]+)$", CMAKE, re.M)[1]
LICENCE = "BSD-3-Clause"


def text_of(path):
    return (PROJECT / path).read_text()


class Recipes(unittest.TestCase):
    def check(self, recipe):
        self.assertEqual((VERSION, LICENCE), (str(recipe["version"]), recipe["license"]))

    def test_the_licence_is_that_of_the_source(self):
        self.assertTrue(text_of("LICENSE").startswith(LICENCE.replace("-", " ", 1)))

    def test_options_exist(self):
        options = set(re.findall(r"^option\((HPART_\w+)", CMAKE, re.M)) | {"HPART_PYTHON_INSTALL_DIR", "HPART_FORTRAN_MODULEDIR", "HPART_LANGUAGES", "HPART_R_INSTALL_DIR"}
        for name in re.findall(r"^ +hpart_dependency\((\w+)", text_of("cmake/dependencies.cmake"), re.M):
            options |= {f"HPART_WITH_{name}", f"HPART_{name}_LIBRARY"}
        self.assertGreater(len(options), 20)
        suffixes = (".py", ".eb", ".yaml", ".json", ".cmake")
        paths = [path for path in (PROJECT / "packaging").rglob("*") if path.suffix in suffixes] + [PROJECT / "packaging/debian/rules"]
        self.assertGreater(len(paths), 5)
        used = {word for path in paths for word in re.findall(r"HPART_[A-Z0-9_]+", path.read_text())}
        self.assertIn("HPART_LANGUAGES", used)
        self.assertEqual(set(), used - options)

    def test_numpy_has_one_version(self):
        recipes = ["packaging/spack/packages/hpart/package.py", "packaging/conda/recipe.yaml", "bindings/python/METADATA.in"]
        [least] = re.findall(r'"numpy>=([\d.]+)"', text_of("pyproject.toml"))
        for path in recipes:
            self.assertEqual([least], re.findall(r"numpy *(?:@|>=)([\d.]+)", text_of(path)), path)

    def test_spack(self):
        compile(text_of("packaging/spack/packages/hpart/package.py"), "package.py", "exec")

    def test_easybuild(self):
        [path] = (PROJECT / "packaging/easybuild").glob("*.eb")
        recipe = {"SOURCELOWER_TAR_GZ": "hpart.tar.gz", "SHLIB_EXT": "so"}
        exec(compile(path.read_text(), path.name, "exec"), recipe)
        toolchain = recipe["toolchain"]
        self.assertEqual(path.stem, f"{recipe['name']}-{VERSION}-{toolchain['name']}-{toolchain['version']}")
        self.assertEqual(VERSION, recipe["version"])

    def test_vcpkg(self):
        recipe = json.loads(text_of("packaging/vcpkg/hpart/vcpkg.json"))
        self.check(recipe)
        features = re.findall(r"^    (\w+) HPART_", text_of("packaging/vcpkg/hpart/portfile.cmake"), re.M)
        self.assertEqual(set(recipe["features"]), set(features))

    @unittest.skipIf(yaml is None, "this Python has no yaml")
    def test_conda(self):
        recipe = yaml.safe_load(text_of("packaging/conda/recipe.yaml"))
        self.check({"version": recipe["context"]["version"], "license": recipe["about"]["license"]})

    @unittest.skipIf(yaml is None, "this Python has no yaml")
    def test_citation(self):
        self.check(yaml.safe_load(text_of("CITATION.cff")))


class Debian(unittest.TestCase):
    def lists(self):
        return {path.stem: [line.split()[0] for line in path.read_text().splitlines()]
                for path in (PROJECT / "packaging/debian").glob("*.install")}

    def test_packages_have_the_version_of_the_abi(self):
        self.assertTrue(text_of("packaging/debian/changelog").startswith(f"hpart ({VERSION}-"))
        packages = re.findall(r"^Package: (\S+)", text_of("packaging/debian/control"), re.M)
        self.assertEqual(set(packages), set(self.lists()))
        abi = VERSION.rpartition(".")[0]
        self.assertEqual({f"libhpart{abi}", f"libhpart-fortran{abi}", f"libhpart-mpi{abi}"},
                         {name for name in packages if re.search(r"\d$", name)})

    def test_each_installed_file_is_in_one_package(self):
        lists = {**self.lists(), "none": text_of("packaging/debian/not-installed").split()}
        files = [str(path.relative_to(PREFIX)) for path in PREFIX.rglob("*") if not path.is_dir() or path.is_symlink()]
        self.assertGreater(len(files), 100)
        for name in files:
            name = re.sub(r"^lib/python3[.\d]*/\w+-packages", "usr/lib/python3/dist-packages", name)
            name = re.sub("^include/hpart/fortran/", "usr/lib/ARCH/fortran/gfortran-mod-15/", name)
            name = re.sub(r"^lib/(R|tcltk)/", r"usr/lib/\1/", name)
            name = re.sub(f"^{LIBDIR}/", "usr/lib/ARCH/", name)
            name = re.sub("^usr/lib/ARCH/[^/]*-linux-gnu/", "usr/lib/ARCH/", name)  # modules of languages have the architecture already
            name = re.sub("^(bin|include|share)/", r"usr/\1/", name).replace("share/doc/hpart", "share/doc/libhpart-dev")
            if name.endswith("/LICENSE"):
                continue  # packaging/debian/copyright has it
            path = pathlib.PurePath(name)  # as dh_install: a name's star is no slash, and a folder comes with all that is in it
            owners = [package for package, patterns in lists.items() for pattern in patterns
                      if any(part.match(pattern) for part in (path, *path.parents))]
            self.assertEqual(1, len(owners), f"{name}: {owners}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
