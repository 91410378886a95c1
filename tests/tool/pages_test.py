"""The manual pages and completions of the command have all of its help, and the tools that read them find nothing wrong."""

import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

COMMAND, PAGES = os.environ["HPART_COMMAND"], pathlib.Path(os.environ["HPART_PAGES"])
MAN = PAGES / "man"


def text_of(*words, **settings):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, encoding="utf-8", **settings).stdout


def needs(program):
    return unittest.skipIf(shutil.which(program) is None, f"{program} is not installed")


HELP = {name: text_of(COMMAND, name, "--help")
        for name in re.findall(r"^  (\w+) ", text_of(COMMAND, "--help").partition("\nSubcommands:\n")[2], re.M)}


def options_of(help):
    """Each option with its placeholder, "" if there is none."""
    found = re.findall(r"^  ((?:-\w,)?--[\w-]+)(?: (\S+))?(?:\s|$)", help, re.M)
    return {name.rpartition(",")[2]: value for name, value in found}


def texts_of(help):
    """The help's texts, a line or less each: meanings of its entries, and what stands below them."""
    lines = help.splitlines()[2:] + [""]
    for line, below in zip(lines, lines[1:]):
        if not line.startswith("  ") or line.startswith("   " * 3 + " hpart"):
            yield from filter(None, re.split("Examples?: |Exit status: |^[A-Z][a-z]+:$", line.strip()))
        elif not below.startswith(" " * 30):
            yield line[30:].strip()


class Pages(unittest.TestCase):
    def shown(self, page):
        """The source of the page without its fonts and escapes."""
        text = (MAN / page).read_text().replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
        return re.sub(r"\\f[BIR]", "", text)

    def test_help_is_read_here(self):
        self.assertGreater(len(HELP), 15)
        self.assertEqual({"--format": "text|json|csv", "--help": "", "--devices": "", "--environment": "", "--capture": "FOLDER"}, options_of(HELP["info"]))

    def test_each_subcommand_has_a_page_and_no_page_is_of_another(self):
        self.assertEqual({"hpart.1", *(f"hpart-{name}.1" for name in HELP)}, {path.name for path in MAN.iterdir()})
        for name in HELP:
            self.assertIn(f".BR hpart-{name} (1)", self.shown("hpart.1"))

    def test_hyphens_can_be_copied_into_a_shell(self):
        for page in MAN.iterdir():
            self.assertNotRegex(page.read_text().partition("\n")[2], r"(?<!\\)-", page)

    def test_each_option_is_in_its_page_with_its_meaning(self):
        for name, help in HELP.items():
            page = self.shown(f"hpart-{name}.1")
            listed = dict(re.findall(r"^\.TP\n(?:-\w, )?(--[\w-]+)(?: ([^\s]+))?", page, re.M))
            self.assertEqual(options_of(help), listed, name)
            words = " ".join(page.split())
            for text in texts_of(help):
                self.assertIn(text, words, name)

    def test_each_key_of_the_library_is_in_the_pages_that_take_it(self):
        for name, help in HELP.items():
            if "--option" in options_of(help):
                for key in re.findall(r"^(\w+) \(", text_of(COMMAND, "options", name), re.M):
                    self.assertRegex(self.shown(f"hpart-{name}.1"), rf"\n{key}=\S")

    @needs("mandoc")
    def test_mandoc_has_no_warning(self):
        self.assertEqual("", text_of("mandoc", "-T", "lint", *sorted(map(str, MAN.iterdir()))))

    @needs("man")
    def test_man_has_no_warning(self):
        for page in sorted(MAN.iterdir()):
            result = subprocess.run(["man", "--warnings", "-l", page], check=True, capture_output=True, encoding="utf-8",
                                    env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
            self.assertEqual("", result.stderr, page)
            self.assertIn("SEE ALSO", result.stdout)


class Completions(unittest.TestCase):
    """The same expectations of each shell: what it offers for a line whose last word is unfinished."""

    def check(self, offers):
        folder = tempfile.TemporaryDirectory(prefix="hpart-test.")
        self.addCleanup(folder.cleanup)
        pathlib.Path(folder.name, "platform.csv").touch()
        pathlib.Path(folder.name, "results").mkdir()

        def ask(*words):
            return set(offers(words, folder.name))

        self.assertEqual({"partition", "pareto"}, ask("hpart", "pa"))
        self.assertLessEqual(set(HELP), ask("hpart", ""))
        for name, help in HELP.items():
            self.assertEqual(set(options_of(help)), {word for word in ask("hpart", name, "--") if word.startswith("--")} - {"--"}, name)
        self.assertEqual({"time", "energy", "total-energy", "sum-time"}, ask("hpart", "partition", "--objective", ""))
        self.assertEqual({"time", "energy", "total-energy"}, ask("hpart", "group", "--objective", ""))
        self.assertEqual({"row", "col"}, ask("hpart", "gemm", "--layout", ""))
        self.assertEqual({"platform.csv"}, ask("hpart", "partition", "--size", "4", "pl"))
        self.assertEqual({"platform.csv"}, ask("hpart", "profile", "--output", "pl"))
        self.assertEqual(set(), ask("hpart", "partition", "--size", "pl"))
        self.assertEqual({"platform.csv"}, ask("hpart", "info", "pl"))
        self.assertEqual(set(), ask("hpart", "options", "pl"))
        self.assertEqual({"results", "platform.csv"}, {word.rstrip("/") for word in ask("hpart", "study", "-o", "")})
        self.assertIn("sort", ask("hpart", "energy", "--meter", "rapl", "--", "sor"))
        self.assertEqual({"slice"}, ask("hpart", "help", "sl"))

    def test_bash(self):
        def offers(words, folder):
            script = f"source {PAGES}/bash/hpart; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _hpart; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            return text_of("bash", "--norc", "-c", script, "bash", *words, cwd=folder).split()

        self.assertEqual("complete -F _hpart hpart\n", text_of("bash", "-c", f"source {PAGES}/bash/hpart; complete -p hpart"))
        self.check(offers)
        # bash gives = and : as words of their own, and only the last part is replaced.
        self.assertEqual(["ties=deterministic", "ties=fewest"], offers(["hpart", "partition", "--option", "tie"], "/"))
        self.assertEqual(["fewest"], offers(["hpart", "partition", "--option", "ties", "=", "f"], "/"))
        self.assertEqual(["fewest"], offers(["hpart", "partition", "--option", "=", "ties", "=", "f"], "/"))
        self.assertEqual(["text", "json", "csv"], offers(["hpart", "partition", "--format", "="], "/"))
        self.assertEqual([], offers(["hpart", "study", "--sizes", "1", ":", "--"], "/"))

    @needs("fish")
    def test_fish(self):
        def offers(words, folder):
            script = f"source {PAGES}/fish/hpart.fish; complete -C {' '.join(words)!r}"
            lines = text_of("fish", "--no-config", "-c", script, cwd=folder, env={**os.environ, "HOME": folder}).splitlines()
            return [line.partition("\t")[0] for line in lines]

        self.check(offers)

    @needs("zsh")
    def test_zsh(self):
        """zsh completes in its line editor only: a key lists the matches of the line that stands in a file."""
        folder = tempfile.TemporaryDirectory(prefix="hpart-test.")
        self.addCleanup(folder.cleanup)
        line, found = pathlib.Path(folder.name, "line"), pathlib.Path(folder.name, "found")
        os.mkfifo(found)
        pathlib.Path(folder.name, ".zshrc").write_text(f"""
fpath=({PAGES}/zsh $fpath); autoload -Uz compinit; compinit -D -u
zstyle ':completion:*' completer _complete
compadd() {{
    local -a hits
    if [[ "${{@[1,(i)(-|--)]}}" != *-[OAD]\\ * ]]; then
        builtin compadd -A hits "$@"
        print -rl -- $hits >&3
    fi
    builtin compadd "$@"
}}
ask() {{
    exec 3>{found}
    cd "$(sed -n 2p {line})"; BUFFER=$(sed -n 1p {line}); CURSOR=$#BUFFER
    zle list-choices; BUFFER=; exec 3>&-
}}
zle -N ask; bindkey '^T' ask; print ready >{found}
""")
        ours, theirs = pty.openpty()
        shell = subprocess.Popen(["zsh", "-d", "-i"], stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                 env={**os.environ, "ZDOTDIR": folder.name, "TERM": "dumb"})

        def drain():  # a terminal that nobody reads blocks the shell
            try:
                while os.read(ours, 4096):
                    pass
            except OSError:  # the shell has ended
                pass

        os.close(theirs)
        reader = threading.Thread(target=drain)
        reader.start()
        self.addCleanup(os.close, ours)
        self.addCleanup(reader.join)
        self.addCleanup(shell.wait)
        self.addCleanup(shell.kill)
        self.assertEqual("ready\n", found.read_text())

        def offers(words, where):
            line.write_text(" ".join(words) + f"\n{where}\n")
            os.write(ours, b"\x14")
            return [word.rstrip("=") for word in found.read_text().split()]

        self.check(offers)
