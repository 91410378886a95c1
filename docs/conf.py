"""Sphinx makes a site of these documents: scripts/site."""

import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here / "_ext"))

project = "hpart"
author = "the hpart developers"
copyright = author
release = version = re.search(r"VERSION ([0-9.]+)\s+DESCRIPTION", (here.parent / "CMakeLists.txt").read_text())[1]

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_inline_tabs", "repository"]
exclude_patterns = ["_ext", "_static"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
primary_domain = "c"
highlight_language = "none"
smartquotes = False
add_function_parentheses = False
nitpicky = True
nitpick_ignore = [("c:identifier", name) for name in ("int32_t", "int64_t", "MPI_Comm")]
copybutton_prompt_text = "$ "

html_theme = "furo"
html_title = f"hpart {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_use_index = False
html_show_sphinx = False
