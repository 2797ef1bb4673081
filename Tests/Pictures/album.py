"""Takes pictures of a story's steps, and writes a page that contains them.

Each picture is a screenshot of a small page in Chromium. The page shows either the site under its URL, or a command's
output as on a phone. Only the layout of the prompts differs from the real output.
"""

import base64
import html
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from selenium.webdriver import Chrome

from support.browser import see_as
from support.terminal import Outcome, Prompt

# The visible part of a page on a phone. At this scale, four units are exactly five pixels, so lines are not blurred.
WIDTH, HEIGHT, SCALE = 384, 720, 1.25
# Text on a plain background needs few colors. Sixteen colors need only four bits per pixel.
COLOURS = 16
SHOWN_WIDTH = 340

STYLE = """
* { box-sizing: border-box; margin: 0 }
body { display: flow-root; background: #e4e6ea; color: #1b1d22; font: 15px/20px "DejaVu Sans", sans-serif }
header { background: #23262d; color: #fff; padding: 10px 14px; font-weight: bold }
header span { display: block; margin-top: 8px; padding: 5px 12px; border-radius: 8px; background: #454a55;
  font: 13px/18px "DejaVu Sans", sans-serif }
img { display: block; width: 100% }
pre { margin: 10px; padding: 10px; border-radius: 10px; background: #fff; font: 12px/1.5 "DejaVu Sans Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere }
pre.command { background: #23262d; color: #fff }
pre.command span { display: inline-block }
pre.command::before { content: "$ "; color: #8fd19e }
section { margin: 20px 24px; border: 1px solid #c3c7cf; border-radius: 14px; background: #fff; text-align: center;
  overflow: hidden }
section p { padding: 16px 12px; font-weight: bold; font-size: 14px; overflow-wrap: anywhere }
section ul { list-style: none; padding: 0 }
section li { border-top: 1px solid #d4d7dd; padding: 9px 12px; color: #0a5bd3 }
section li.selected { background: #0a5bd3; color: #fff }
section.alert ul { display: flex }
section.alert li { flex: 1 }
section.alert li + li { border-left: 1px solid #d4d7dd }
"""

# Returns an image's most frequent colors, and its pixels as indices of the nearest color.
INDEXED = """
const [source, limit, done] = arguments;
const image = new Image();
image.onload = () => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const data = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
  const counts = new Map();
  for (const pixel of data) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, limit);
  const parts = pixel => [pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255];
  const distance = (a, b) => parts(a).reduce((sum, part, index) => sum + (part - parts(b)[index]) ** 2, 0);
  const nearest = new Map();
  for (const pixel of counts.keys()) {
    let best = 0;
    for (let index = 1; index < palette.length; index++)
      if (distance(pixel, palette[index]) < distance(pixel, palette[best])) best = index;
    nearest.set(pixel, best);
  }
  let indices = "";
  for (const pixel of data) indices += String.fromCharCode(nearest.get(pixel));
  done([image.width, image.height, palette.map(parts), btoa(indices)]);
};
image.src = "data:image/png;base64," + source;
"""


@dataclass(frozen=True)
class Picture:
    """A PNG file and its alternative text, which is identical in each run."""

    name: str
    text: str
    content: bytes


@dataclass
class Step:
    sentence: str
    pictures: list[Picture]


@dataclass
class Part:
    title: str
    steps: list[Step] = field(default_factory=list)


class Album:
    """Takes pictures for the next step. Without a driver, it takes none."""

    def __init__(self, driver: Chrome | None = None) -> None:
        self.driver = driver
        self.parts: list[Part] = []
        self.next: list[Picture] = []

    def begin(self, title: str) -> None:
        self.parts.append(Part(title))

    def add(self, sentence: str) -> None:
        """Ends a step. The pictures since the last step belong to it."""
        self.parts[-1].steps.append(Step(sentence, self.next))
        self.next = []

    @property
    def steps(self) -> int:
        return sum(len(part.steps) for part in self.parts)

    def page(self, name: str) -> None:
        """Takes a picture of the visible page with its URL."""
        if self.driver:
            self.driver.execute_script("scrollTo(0, 0)")
            self.driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
            url, source = self.driver.current_url, self.driver.get_screenshot_as_base64()
            header = f"<header>Chromium<span>{html.escape(url)}</span></header>"
            self.take(name, f"Chromium: {url}", f'{header}<img src="data:image/png;base64,{source}">')

    def terminal(self, name: str, outcome: Outcome, label: str = "Simulated device") -> None:
        """Takes a picture of a command, its prompts and its output."""
        if self.driver:
            text = f"<pre>{html.escape(outcome.text.strip())}</pre>" if outcome.text.strip() else ""
            # A line never breaks inside an option.
            words = " ".join(f"<span>{html.escape(word)}</span>" for word in outcome.command.split(" "))
            head = f"<header>{label}</header><pre class=command>{words}</pre>"
            body = head + "".join(map(alert, outcome.prompts)) + text
            self.take(name, f"{label}: {outcome.summary}", body)

    def take(self, name: str, text: str, body: str) -> None:
        assert self.driver
        head = f'<meta charset=utf-8><meta name=viewport content="width=device-width"><style>{STYLE}</style>'
        page = f"<!doctype html>{head}{body}"
        with other_tab(self.driver):
            address = "data:text/html;base64," + base64.b64encode(page.encode()).decode()
            self.driver.get(address)
            self.driver.execute_async_script("document.fonts.ready.then(arguments[0])")
            height = self.driver.execute_script("return Math.ceil(document.body.offsetHeight / 4) * 4")
            see_as(self.driver, (WIDTH, height), scale=SCALE)
            source = self.driver.get_screenshot_as_base64()
            width, height, palette, pixels = self.driver.execute_async_script(INDEXED, source, COLOURS)
        content = png(width, height, palette, base64.b64decode(pixels))
        self.next.append(Picture(f"{self.steps + 1:02}-{name}.png", text, content))

    def save(self, folder: Path, title: str, lead: str) -> None:
        """Writes the pictures into the folder, and a page with the same name next to the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("[0-9][0-9]-*.png"):
            old.unlink()
        for part in self.parts:
            for step in part.steps:
                for picture in step.pictures:
                    (folder / picture.name).write_bytes(picture.content)
        lines = [f"# {title}", "", lead, *self.markdown(folder.name)]
        folder.with_suffix(".md").write_text("\n".join(lines) + "\n")

    def markdown(self, folder: str) -> Iterable[str]:
        number = 0
        for part in self.parts:
            yield from ("", f"## {part.title}")
            for step in part.steps:
                number += 1
                mark = f"{number}. "
                yield from ("", mark + step.sentence, "")
                for picture in step.pictures:
                    text = html.escape(picture.text)
                    yield f'{" " * len(mark)}<img src="{folder}/{picture.name}" width="{SHOWN_WIDTH}" alt="{text}">'


def alert(prompt: Prompt) -> str:
    choices = "".join(
        f"<li{' class=selected' if index == prompt.selected else ''}>{html.escape(choice)}</li>"
        for index, choice in enumerate(prompt.choices)
    )
    kind = "picker" if prompt.is_picker else "alert"
    return f"<section class={kind}><p>{html.escape(prompt.text)}</p><ul>{choices}</ul></section>"


@contextmanager
def other_tab(driver: Chrome) -> Iterator[None]:
    tab = driver.current_window_handle
    driver.switch_to.new_window("tab")
    try:
        see_as(driver, (WIDTH, HEIGHT), "light", SCALE)
        yield
    finally:
        driver.close()
        driver.switch_to.window(tab)


def png(width: int, height: int, palette: list[list[int]], pixels: bytes) -> bytes:
    """Returns a PNG file with indexed colors (W3C PNG, sections 5 and 11.2)."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = [pixels[start : start + width] for start in range(0, width * height, width)]
    # Each byte contains the indices of two pixels.
    packed = b"".join(b"\0" + bytes.fromhex((row + bytes(width % 2)).hex()[1::2]) for row in rows)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)),
            chunk(b"PLTE", bytes(part for color in palette for part in color)),
            chunk(b"IDAT", zlib.compress(packed, 9)),
            chunk(b"IEND", b""),
        )
    )
