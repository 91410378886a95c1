"""The site's ties to the repository: its Markdown files beside docs/ become pages, and links to them stay links. Checks the site's links."""

import html
import os
import pathlib
import re
import urllib.parse

from sphinx.errors import SphinxError

import contributors
import interface

# Files beside docs/, and their pages.
PAGES = {
    "README.md": "readme.md",
    "CHANGELOG.md": "reference/changelog.md",
    "CONTRIBUTING.md": "background/contributing.md",
}
LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=(#[^)]*)?\))")


def with_links(text, source, page):
    """The text of the repository's file `source`, as the page docs/`page`, with its links."""

    def link(match):
        target = os.path.normpath(os.path.join(os.path.dirname(source), match[0]))
        target = f"docs/{PAGES[target]}" if target in PAGES else target
        return os.path.relpath(target, os.path.dirname(f"docs/{page}"))

    return re.sub(r"\[[\w/-]+\.md\](?=\()", "[]", LINK.sub(link, text))  # the page's title instead of its name


def write_pages(app):
    docs = pathlib.Path(app.srcdir)
    for source, page in PAGES.items():
        head = "---\norphan: true\n---\n" if source == "README.md" else ""
        (docs / page).parent.mkdir(exist_ok=True)
        (docs / page).write_text(head + with_links((docs.parent / source).read_text(), source, page))
    (docs / "background/floors.svg").write_text(contributors.floors(docs.parent))
    (docs / "reference/c").mkdir(exist_ok=True)
    for page, lines in interface.pages_of(os.environ.get("HPART_COMMAND", "")).items():
        (docs / f"reference/{page}.rst").write_text("\n".join(lines) + "\n")


def adapt(app, docname, source):
    """Links of documents, and entries of the front page whose pages do not exist."""
    page = os.fspath(app.env.doc2path(docname, base=False))
    if page.endswith(".md") and page not in PAGES.values():
        source[0] = with_links(source[0], f"docs/{page}", page)
    if page.endswith(".md"):
        source[0] = interface.with_references(source[0])
    if docname == "index":
        exists = [path.stem for path in pathlib.Path(app.srcdir).rglob("*") if path.suffix in (".md", ".rst")]
        source[0] = re.sub(r"^(?:start|how-to|reference)/([\w-]+)\n", lambda entry: entry[0] if entry[1] in exists else "", source[0], flags=re.MULTILINE)


ATTRIBUTE = re.compile(r' (id|href|src)="([^"]*)"')


def check_links(app, exception):
    if exception or app.builder.name != "html":
        return
    folder = pathlib.Path(app.outdir)
    pages = {path: ATTRIBUTE.findall(path.read_text()) for path in map(pathlib.Path, map(app.builder.get_outfilename, app.env.found_docs))}
    anchors = {path: {html.unescape(value) for name, value in found if name == "id"} for path, found in pages.items()}
    faults = set()
    for path, found in pages.items():
        for link in {html.unescape(value) for name, value in found if name != "id" and value and not urllib.parse.urlparse(value).scheme}:
            target, anchor = urllib.parse.urldefrag(link)
            target = (path.parent / urllib.parse.unquote(target.split("?")[0])).resolve() if target else path
            if not target.exists() or (anchor and target in pages and urllib.parse.unquote(anchor) not in anchors[target]):
                faults.add(f"{path.relative_to(folder)}: {link}")
    if faults:
        raise SphinxError("links that lead nowhere:\n" + "\n".join(sorted(faults)))


def add_dark_colours(app, exception):
    """Debian's copies of furo have no dark colours for systems that prefer them: those of its dark theme."""
    if exception or app.builder.name != "html":
        return
    style = pathlib.Path(app.outdir, "_static/styles/furo.css")
    text = style.read_text()
    colours = re.search(r'body\[data-theme="?dark"?\] *\{(.*?)\}', text, re.DOTALL)[1]
    style.write_text(f'{text}\n@media screen and (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {{{colours}}} }}\n')


def setup(app):
    app.add_domain(interface.Domain, override=True)
    app.connect("builder-inited", write_pages)
    app.connect("source-read", adapt)
    app.connect("build-finished", check_links)
    app.connect("build-finished", add_dark_colours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
