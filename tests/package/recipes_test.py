"""The recipes of packaging/ and CITATION.cff: they can be parsed, have the project's version and licence, and name its options.

usage: recipes_test.py PROJECT
"""

import json
import pathlib
import re
import sys
import unittest

try:
    import yaml
except ImportError:
    yaml = None

PROJECT = pathlib.Path(sys.argv[1])
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
        options = set(re.findall(r"^option\((HPART_\w+)", CMAKE, re.M))
        for name in re.findall(r"^ +hpart_dependency\((\w+)", text_of("cmake/dependencies.cmake"), re.M):
            options |= {f"HPART_WITH_{name}", f"HPART_{name}_LIBRARY"}
        self.assertGreater(len(options), 20)
        suffixes = (".py", ".eb", ".yaml", ".json", ".cmake")
        paths = [path for path in (PROJECT / "packaging").rglob("*") if path.suffix in suffixes]
        self.assertGreater(len(paths), 5)
        used = {word for path in paths for word in re.findall(r"HPART_[A-Z0-9_]+", path.read_text())}
        self.assertIn("HPART_TESTS", used)
        self.assertEqual(set(), used - options)

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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
