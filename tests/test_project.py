"""What the repository itself promises: locks that install anywhere, settings that are documented, no traces."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from bot.settings import example

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUN, DEV, BENCH = "requirements.lock", "requirements-dev.lock", "requirements-bench.lock"
GROUPS = {RUN: ["build"], DEV: ["build", "dev"], BENCH: ["build", "bench", "peers"]}
MACHINES = {  # name: sys_platform, platform_machine, os_name
    "Linux x86_64": ("linux", "x86_64", "posix"),
    "Linux aarch64": ("linux", "aarch64", "posix"),
    "macOS x86_64": ("darwin", "x86_64", "posix"),
    "macOS arm64": ("darwin", "arm64", "posix"),
    "Windows": ("win32", "AMD64", "nt"),
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def locked(name: str) -> list[tuple[Requirement, list[str]]]:
    """The lock's requirements with their hashes."""
    out = []
    for block in (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        line, *hashes = block.split("--hash=")
        if line.strip():
            out.append((Requirement(line.strip()), [h.strip() for h in hashes]))
    return out


def environment(machine: str, python: str) -> dict[str, str]:
    platform, processor, os_name = MACHINES[machine]
    return {
        "sys_platform": platform,
        "platform_machine": processor,
        "os_name": os_name,
        "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[platform],
        "python_version": python,
        "python_full_version": f"{python}.1",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }


def applies(marker: Marker | None, env: dict[str, str]) -> bool:
    return marker is None or marker.evaluate(env)


def wanted(name: str) -> list[Requirement]:
    groups = [line for group in GROUPS[name] for line in PROJECT["dependency-groups"][group]]
    return [Requirement(line) for line in PROJECT["project"]["dependencies"] + groups]


@pytest.mark.parametrize("name", GROUPS)
def test_locks_are_pinned_and_hashed(name: str) -> None:
    """Every line is one exact version with hashes, and names no place to fetch it from."""
    for requirement, hashes in locked(name):
        assert [s.operator for s in requirement.specifier] == ["=="], requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", h) for h in hashes), requirement
        assert requirement.url is None
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(
        r"https?:|file:|--index|--extra|--find|/opt/|/home/|/work/|/tmp/|pypi\b|^#",
        text,
        re.MULTILINE,
    )


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("python", PYTHONS)
def test_locks_hold_what_the_project_asks_for(name: str, machine: str, python: str) -> None:
    """On each system and Python: exactly one version of a package, and one that pyproject.toml accepts."""
    env = environment(machine, python)
    versions: dict[str, str] = {}
    for requirement, _ in locked(name):
        if applies(requirement.marker, env):
            key = canonicalize_name(requirement.name)
            assert key not in versions, f"{key} twice on {machine}, Python {python}"
            (version,) = (s.version for s in requirement.specifier)
            versions[key] = version
    for requirement in wanted(name):
        if applies(requirement.marker, env):
            key = canonicalize_name(requirement.name)
            assert key in versions, f"{key} is not locked for {machine}, Python {python}: make lock"
            assert versions[key] in requirement.specifier, f"{key} {versions[key]}: make lock"


def test_the_locks_agree() -> None:
    """A developer runs what a user runs; so does a benchmark, which brings much of its own beside it."""
    run = {str(r) for r, _ in locked(RUN)}
    assert run <= {str(r) for r, _ in locked(DEV)}
    assert {r.partition(";")[0] for r in run} <= {
        str(r).partition(";")[0] for r, _ in locked(BENCH)
    }


def test_every_dependency_has_its_reason() -> None:
    """CONTRIBUTING.md says why each is here, and names none that is not."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## Dependencies")[2]
    told = set(re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE))
    assert told == {canonicalize_name(r.name) for name in GROUPS for r in wanted(name)}


def test_settings_are_documented() -> None:
    """.env.example is what `bot.settings` says it is; write it anew with `python -m tests.test_project`."""
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == example()


def test_the_python_asked_for() -> None:
    """One minimum, in one place."""
    assert SpecifierSet(PROJECT["project"]["requires-python"]) == SpecifierSet(">=3.11")


def test_no_traces() -> None:
    """No path of a machine, no key and no registry stands in a file of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    bad = re.compile(rb"/work/(?:main|shared)|pypi\.org|pythonhosted|sk-[A-Za-z0-9]{32,}")
    found = []
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name.startswith("tests/eval/sets/"):
            continue  # invented keys, to be found
        if (
            name
            and path.is_file()
            and path != Path(__file__).resolve()
            and bad.search(path.read_bytes())
        ):
            found.append(name)
    assert found == []


if __name__ == "__main__":
    (ROOT / ".env.example").write_text(example(), encoding="utf-8")
