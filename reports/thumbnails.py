"""Small copies of figures, for the gallery."""

from pathlib import Path

from PIL import Image

SUFFIX, WIDTH = ".small.png", 480  # about so many pixels wide


def write(folder: Path) -> None:
    """A small copy beside every PNG file of `folder`."""
    for file in folder.glob("*.png"):
        with Image.open(file) as image:
            small = image.convert("RGB").reduce(max(image.width // WIDTH, 1))
            small.quantize(64).save(file.with_suffix(SUFFIX), optimize=True)
