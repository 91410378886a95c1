"""The drawing of the folders' floors, for contributors."""

import runpy

# The call of the design page, from the top.
CALL = ["c_api", "partitioners/calls", "partitioners/methods", "partitioners/exact", "partitioners/search", "partitioners/search/simd"]


def floors(root):
    """The folders of src on their floors, as SVG."""
    table = runpy.run_path(str(root / "scripts/arrows"))["allowed"]()

    def floor(folder):
        return 1 + max((floor(other) for other in table[folder]), default=-1)

    rows = {}
    for folder in table:
        rows.setdefault(floor(folder), []).append(folder)
    height, width, texts, centres = 34, 860, [], {}
    for level, folders in sorted(rows.items()):
        y, x = 12 + (max(rows) - level) * (height + 14), 250  # on the left the call
        for folder in sorted(folders):
            size = 24 + 7.3 * len(folder)
            left, colour = (10, "#fde9c8") if folder in CALL else (x, "#eef2f7")
            texts.append(f'<rect x="{left:.0f}" y="{y}" width="{size:.0f}" height="{height}" rx="4" fill="{colour}" stroke="#8793a3"/>'
                         f'<text x="{left + size / 2:.0f}" y="{y + 22}" text-anchor="middle">{folder}</text>')
            centres[folder] = (left + 24, y)
            x += size + 14 if folder not in CALL else 0
    lines = [f'<path d="M{centres[a][0]} {centres[a][1] + height} L{centres[b][0]} {centres[b][1]}" stroke="#c05a00" stroke-width="2" marker-end="url(#tip)"/>'
             for a, b in zip(CALL, CALL[1:])]
    tip = '<marker id="tip" orient="auto" markerWidth="7" markerHeight="7" refX="6" refY="3"><path d="M0 0 L7 3 L0 6 z" fill="#c05a00"/></marker>'
    whole = 24 + (max(rows) + 1) * (height + 14) - 14
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {whole}" font-family="monospace" font-size="12">'
            f'<defs>{tip}</defs><rect width="{width}" height="{whole}" fill="white"/>{"".join(texts)}{"".join(lines)}</svg>\n')
