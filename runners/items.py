"""Benchmark files from where their owners publish them: pinned, checksummed, and in place only when
all are there.
"""

import hashlib
import http.client
import shutil
import tarfile
import tempfile
import urllib.request
import zipfile
from pathlib import Path

import yaml

from analysis import paths, whole
from analysis.errors import DataError, brought_by, refuse_unknown

_SUMS = "SHA256SUMS"
# what reading from servers and archives raises
_FAULTS = (OSError, EOFError, http.client.HTTPException, tarfile.TarError, zipfile.BadZipFile)


def sources() -> dict[str, dict]:
    """Benchmark -> where it comes from: `data/sources.yaml`, which says what its fields mean."""
    return yaml.safe_load((paths.DATA / "sources.yaml").read_bytes())


def checksums(name: str) -> dict[str, str]:
    """Place -> SHA-256 of each file of a benchmark; empty where none are recorded."""
    return _sums(paths.DATA / "checksums" / f"{name}.sha256")


def fetch(name: str) -> Path:
    """Put the files of benchmark `name` in place; the folder that has them.

    Without recorded checksums, those of the first download are what later ones must have.

    Raises
    ------
    DataError
        Where nothing can be fetched, with what to do instead; where a file is missing or is another
        one than it should be.
    """
    published = sources()
    refuse_unknown("benchmark with a source", published, name)
    source, recorded = published[name], checksums(name)
    home = paths.benchmarks() / source.get("folder", name)
    if "absent" in source:
        reason = f"{name} cannot be fetched ({source['homepage']}): {source['absent']}"
        raise DataError(reason, file=home)
    wanted = recorded or _sums(home / _SUMS)
    if wanted and all(_digest(home / place) == digest for place, digest in wanted.items()):
        print(f"{name}: all {len(wanted)} files are there and right")
        return home
    print(f"{name}: from {source['homepage']}, licence: {source.get('licence', 'see there')}")
    with tempfile.TemporaryDirectory() as temporary:
        partial = Path(temporary)
        _download(source, partial)
        digests = {
            path.relative_to(partial).as_posix(): _digest(path)
            for path in sorted(partial.rglob("*"))
            if path.is_file()
        }
        # files are told by their content, whatever they are called there
        there = {digest: partial / place for place, digest in digests.items()}
        wanted = wanted or digests
        missing = [place for place, digest in wanted.items() if digest not in there]
        if missing or not wanted:
            raise DataError(
                f"{name}: {len(missing)} of {len(wanted)} files are not there, or other ones than "
                f"the checksums say, such as {min(missing, default='any')}; see "
                f"{source['homepage']}"
            )
        for place, digest in wanted.items():
            whole.write(home / place, there[digest].read_bytes())
    if not recorded:
        lines = "".join(f"{digest}  {place}\n" for place, digest in wanted.items())
        whole.write(home / _SUMS, lines.encode())
    print(f"{name}: {len(wanted)} files in {home}")
    return home


def _download(source: dict, folder: Path) -> None:
    """All that a source names, unpacked, into a folder."""
    packed = folder / "packed"
    try:
        if "hub" in source:
            _hub(folder, **source["hub"])
        for number, address in enumerate(source.get("archives", ())):
            packed.write_bytes(_get(address))
            kind = (
                {"format": "zip"}
                if zipfile.is_zipfile(packed)
                else {"format": "tar", "filter": "data"}
            )
            shutil.unpack_archive(packed, folder / str(number), **kind)
            packed.unlink()
        for address in source.get("urls", ()):
            (folder / address.rpartition("/")[2]).write_bytes(_get(address))
    except _FAULTS as error:
        reason = str(error).strip().split("\n")[0][:200]
        raise DataError(
            f"cannot be fetched: {reason}; try again, accept the owners' terms there (for the hub "
            "also set HF_TOKEN), or put the files in place by hand",
            file=source["homepage"],
        ) from None


def _get(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=60) as answer:
        # `read` raises where less came than the server said
        return answer.read()


def _hub(folder: Path, **hub: object) -> None:
    """Fetch a data set of the Hugging Face hub, with the user's own token where one is set
    (``HF_TOKEN``).
    """
    with brought_by("runners"):
        from huggingface_hub import snapshot_download
    snapshot_download(repo_type="dataset", local_dir=folder, **hub)
    shutil.rmtree(folder / ".cache", ignore_errors=True)


def _sums(file: Path) -> dict[str, str]:
    """A file as `sha256sum` writes it."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return {place: digest for digest, _, place in (line.partition("  ") for line in lines)}


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
