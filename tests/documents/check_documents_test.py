"""The checker of documents finds the blocks, their faults and other outputs."""
import argparse
import pathlib
import sys
import tempfile
import unittest

import check_documents

PAGE = """# Title
See [a page](other.md).
:::{tab} Python
```python
print("a", 1.5)
```
:::
````{tab} C
See [a lost page](lost.md).
```c file=hello.c
int main(void) { return 0; }
```
````
```text output
a
...
```
```sh run
test -f hello.c && grep -c return hello.c && false
```
```sh
exit 1
```
```python fragment
print(
```
```c later
```
"""


class Checker(unittest.TestCase):
    def test_finds_blocks_within_directives(self):
        found = [(line, language, marks) for line, language, marks, code in check_documents.blocks_of(PAGE)]
        self.assertEqual(found[:3], [(4, "python", []), (10, "c", ["file=hello.c"]), (14, "text", ["output"])])

    def test_reads_links_in_tabs_and_none_in_code(self):
        links = check_documents.LINK.findall(check_documents.prose_of(PAGE + "```text\n[code](code.md)\n```\n"))
        self.assertEqual(links, ["other.md", "lost.md"])

    def test_compares_outputs_but_for_blanks_and_dots(self):
        self.assertTrue(check_documents.is_output("a b\nc ...\n", "a  b c 5 6\n"))
        self.assertTrue(check_documents.is_output("...\nx\n...", "1\n2\nx\ny\n"))
        for expected, output in (("2", "1"), ("a b", "a b c"), ("1.5", "1x5"), ("a\n...\nb", "a\nc\n")):
            self.assertFalse(check_documents.is_output(expected, output))

    def test_reports_each_fault_of_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "docs/page.md").write_text(PAGE)
            (root / "docs/other.md").write_text("# Other\n")
            (root / "functions.csv").write_text("")
            options = argparse.Namespace(root=root, functions=root / "functions.csv", python=sys.executable, command=root, cc="cc", fc="", mpi="", units=True)
            faults, ran = check_documents.check(root / "docs/page.md", options)
        self.assertEqual(ran, 2)
        expected = ["the link to lost.md", "page.md:18: bash", "page.md:24: '(' was never closed", "page.md:27: later marks nothing"]
        self.assertEqual(len(faults), len(expected), faults)
        for fault, words in zip(faults, expected):
            self.assertIn(words, fault)


if __name__ == "__main__":
    unittest.main()
