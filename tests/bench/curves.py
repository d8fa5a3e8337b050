# SPDX-License-Identifier: MIT
"""Growth curves as one SVG picture: a panel for each, a line for each server, nothing but the standard library."""
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 460, 300, 70, 14, 36, 60
COLOURS = ("#1b6ca8", "#c8553d", "#4c956c", "#8e6c8a")


def spelled(number):
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def panel(number, title, across, up, lines):
    """lines: {label: [(x, y), ...]}; both axes start at 0."""
    left = number * WIDTH + LEFT
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    most_x = max(x for points in lines.values() for x, _ in points) or 1
    most_y = max(y for points in lines.values() for _, y in points) * 1.05 or 1
    parts = [f'<text x="{left}" y="20" font-weight="bold">{escape(title)}</text>',
             f'<path d="M{left} {TOP}v{high}h{wide}" fill="none" stroke="#444"/>',
             f'<text x="{left + wide / 2}" y="{TOP + high + 32}" text-anchor="middle">{escape(across)}</text>',
             f'<text transform="translate({left - 54} {TOP + high / 2}) rotate(-90)" text-anchor="middle">'
             f'{escape(up)}</text>']
    for step in range(5):
        x, y = left + wide * step / 4, TOP + high - high * step / 4
        parts.append(f'<text x="{x}" y="{TOP + high + 15}" text-anchor="middle">{spelled(most_x * step / 4)}</text>')
        parts.append(f'<text x="{left - 5}" y="{y + 4}" text-anchor="end">{spelled(most_y * step / 4)}</text>')
    for place, (label, points) in enumerate(sorted(lines.items())):
        colour = COLOURS[place % len(COLOURS)]
        corners = " ".join(f"{left + wide * x / most_x:.1f},{TOP + high - high * y / most_y:.1f}"
                           for x, y in sorted(points))
        parts.append(f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{left + 8 + place * 125}" y="{TOP + high + 50}" fill="{colour}">{escape(label)}</text>')
    return "\n".join(parts)


def picture(panels):
    """panels: [(title, across, up, lines)]. RETURNS: the text of an SVG file."""
    body = "\n".join(panel(number, *each) for number, each in enumerate(panels))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * len(panels)}" height="{HEIGHT}" '
            f'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')
