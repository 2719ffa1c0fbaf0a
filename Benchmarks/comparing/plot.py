# SPDX-License-Identifier: Apache-2.0
"""A plot of one comparison: time against the number of accounts, both logarithmic."""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

from table import Contestant, Measured, time_text

WIDTH, HEIGHT = 860, 460
LEFT, RIGHT, TOP, BOTTOM = 80, 290, 48, 52
COLORS = ["#c0392b", "#2e6da4", "#6c8ebf", "#4d8b31", "#93b86b", "#8e6bb0", "#888888"]


def svg(title: str, contestants: list[Contestant], measured: Measured) -> str:
    sizes = list(measured)
    series = []
    for one in contestants:
        points = [(size, measured[size].get(one.source, {}).get(one.figure)) for size in sizes]
        points = [(size, value) for size, value in points if value]
        if points:
            series.append((one.name, points))
    values = [value for _, points in series for _, value in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def x(size: float) -> float:
        first, last = math.log10(sizes[0]), math.log10(sizes[-1])
        return LEFT + (math.log10(size) - first) / max(last - first, 1) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(value) - low) / max(high - low, 1) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT}" y="26" font-size="16" font-weight="bold">{escape(title)}</text>']
    for power in range(low, high + 1):
        at = y(10**power)
        out.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{time_text(10**power)}</text>')
    for size in sizes:
        out.append(f'<text x="{x(size):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{size:,}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    out.append(f'<text x="{middle:.1f}" y="{HEIGHT - 10}" text-anchor="middle">accounts</text>')
    labels: list[float] = []
    for index, (name, points) in sorted(enumerate(series), key=lambda item: y(item[1][1][-1][1])):
        color = COLORS[index % len(COLORS)]
        width = 3 if index == 0 else 1.6
        line = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="{width}"/>')
        out += [f'<circle cx="{x(size):.1f}" cy="{y(value):.1f}" r="3.5" fill="{color}"/>' for size, value in points]
        at = max(y(points[-1][1]), labels[-1] + 16 if labels else 0)
        labels.append(at)
        out.append(f'<text x="{WIDTH - RIGHT + 12}" y="{at + 4:.1f}" fill="{color}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>", ""])
