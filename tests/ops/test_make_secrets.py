"""ops/make-secrets: fresh passwords and keys that the files of a deployment can use."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from doorcard.fairness.keys import DeckKeyRing

ROOT: Final = Path(__file__).resolve().parents[2]


@pytest.fixture
def deployment(tmp_path: Path) -> Path:
    (tmp_path / "ops").mkdir()
    for name in ("make-secrets", "users.acl"):
        shutil.copy(ROOT / "ops" / name, tmp_path / "ops" / name)
    return tmp_path


def make_secrets(deployment: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [deployment / "ops/make-secrets"], check=False, capture_output=True, text=True
    )


def passwords(deployment: Path) -> dict[str, str]:
    lines = (deployment / ".env").read_text("utf-8").splitlines()
    return dict(line.split("=") for line in lines)


def test_every_placeholder_becomes_the_hash_of_a_password(deployment: Path) -> None:
    assert make_secrets(deployment).returncode == 0
    made = passwords(deployment)
    before = (ROOT / "ops/users.acl").read_text("utf-8")
    after = (deployment / "ops/secrets/users.acl").read_text("utf-8")
    roles = re.findall(r">change-me-(\w+) ", before)
    assert list(made) == [f"DOORCARD_{role.upper()}_PASSWORD" for role in roles]
    assert len(set(made.values())) == len(roles)
    for role, password in zip(roles, made.values(), strict=True):
        assert re.fullmatch("[0-9a-f]{64}", password)
        hashed = sha256(password.encode()).hexdigest()
        before = before.replace(f">change-me-{role} ", f"#{hashed} ")
    assert after == before


def test_compose_asks_for_no_password_that_is_not_made(deployment: Path) -> None:
    make_secrets(deployment)
    asked = re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text("utf-8"))
    assert asked
    assert set(asked) <= set(passwords(deployment))


def test_the_key_ring_opens_and_is_private(deployment: Path) -> None:
    make_secrets(deployment)
    path = deployment / "ops/secrets/deck_keys.json"
    ring = DeckKeyRing.load(path)
    assert len(ring.public()) == 32
    assert len(ring.head_publics()) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((deployment / ".env").stat().st_mode) == 0o600


def test_it_never_overwrites_a_secret(deployment: Path) -> None:
    make_secrets(deployment)
    files = sorted(path for path in deployment.rglob("*") if path.is_file())
    before = [path.read_bytes() for path in files]
    again = make_secrets(deployment)
    assert again.returncode == 1
    assert ".env is there already" in again.stderr
    assert [path.read_bytes() for path in files] == before


def test_its_secrets_are_kept_out_of_the_repository_and_the_image() -> None:
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert {"/ops/secrets/", ".env"} <= set(ignored)
