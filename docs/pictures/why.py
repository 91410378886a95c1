"""Draws docs/pictures/why.svg: three splits of one workload over two processors, by their measured times.

Usage: python3 docs/pictures/why.py [FILE.svg]

The workload is 1200 rows of a Fourier transform. Processor A gets x rows, a multiple of 24, and B the others. The balanced split is the one of hpart's
method `balanced`: of all splits the times of the two differ least. The optimal one takes least time, which is found here by trying all.
"""
import csv
import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
FILE = ROOT / "tests/data/measured/zfft-rows-by-512.csv"
MACHINE = "measured: FFTW 3.3.10, rows x 512, 2-core AMD Zen 5 virtual machine"
SIZE = 1200
STEP = 24
TOP = 12  # milliseconds; higher peaks are cut
WIDTH, HEIGHT, LEFT, RIGHT, UPPER, LOWER = 800, 420, 52, 24, 92, 44
A, B, DARK = "#0072b2", "#d55e00", "#222222"


def functions():
    """The milliseconds of A (one core) and B (two cores) by size."""
    with FILE.open() as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return [{int(row["size"]): 1e3 * float(row["time"]) for row in rows if row["processor"] == name} for name in ("core-estimate", "two-cores")]


def across(size):
    return f"{LEFT + size / SIZE * (WIDTH - LEFT - RIGHT):.0f}"


def down(time):
    return f"{UPPER + (1 - min(time, TOP) / TOP) * (HEIGHT - UPPER - LOWER):.0f}"


def line(x, y, to_x, to_y, colour, width, dashes=""):
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="M{x} {y}L{to_x} {to_y}" stroke="{colour}" stroke-width="{width}"{dashed}/>'


def text(x, y, words, anchor="middle", colour=DARK, weight="normal"):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}">{words}</text>'


def curve(times, colour):
    points = " ".join(f"{across(x)},{down(time)}" for x, time in times)
    dots = "".join(f"M{across(x)} {down(time)}h0" for x, time in times)
    return (f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
            f'<path d="{dots}" stroke="{colour}" stroke-width="5" stroke-linecap="round"/>')


def picture():
    a, b = functions()
    splits = range(STEP, SIZE, STEP)
    slowest = {x: max(a[x], b[SIZE - x]) for x in splits}
    optimal = min(splits, key=slowest.get)
    balanced = min(splits, key=lambda x: abs(a[x] - b[SIZE - x]))
    bottom = HEIGHT - LOWER
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
    for time in range(0, TOP + 1, 3):
        parts += [line(LEFT, down(time), WIDTH - RIGHT, down(time), "#dddddd", 1), text(LEFT - 6, int(down(time)) + 4, time, "end")]
    parts += [text(across(x), bottom + 17, x) for x in range(0, SIZE + 1, 100)]
    parts += [curve([(x, a[x]) for x in splits], A), curve([(x, b[SIZE - x]) for x in splits], B)]
    marks = [(balanced, "balanced", "end", 8), (optimal, "optimal", "start", -8), (SIZE // 2, "equal", "middle", 0)]
    for x, name, anchor, shift in marks:
        weight = "bold" if name == "optimal" else "normal"
        at = int(across(x)) + shift
        parts += [line(across(x), UPPER - 8, across(x), bottom, DARK, 1, "5 3"),
                  f'<circle cx="{across(x)}" cy="{down(slowest[x])}" r="6" fill="{DARK}"/>',
                  text(at, UPPER - 46, name, anchor, DARK, weight), text(at, UPPER - 30, f"{x} + {SIZE - x}", anchor, DARK, weight),
                  text(at, UPPER - 14, f"{slowest[x]:.2f} ms", anchor, DARK, weight)]
    parts += [text(LEFT, 18, "A, one core", "start", A, "bold"), text(LEFT + 100, 18, "B, two cores", "start", B, "bold"),
              text(WIDTH - RIGHT, 18, MACHINE, "end", "#555555"), text(LEFT - 6, UPPER - 13, "ms", "end"),
              text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, f"rows of A; B gets the rest of {SIZE}; a split takes the time of the higher curve"),
              "</svg>"]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs/pictures/why.svg").write_text(picture())
