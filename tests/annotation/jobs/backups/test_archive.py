"""A backup's file is whole or absent, only its owner reads it, and whatever is damaged in it is named."""

from __future__ import annotations

import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from annotation.jobs.backups.archive import MANIFEST, BackupError, extract, find_damage, read_manifest, write_archive


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """An archive of two members, one of which does not compress."""
    (tmp_path / "database").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "notes").write_text("a note\n" * 200)
    path = tmp_path / "backup.assay"
    write_archive(path, {"database": tmp_path / "database", "files/notes": tmp_path / "notes"}, {"rows": {"study": 3}})
    return path


def test_members_come_back_as_they_were(backup: Path, tmp_path: Path) -> None:
    assert find_damage(backup) == ()
    assert read_manifest(backup)["rows"] == {"study": 3}
    extract(backup, "files/notes", tmp_path / "new" / "notes")
    assert (tmp_path / "new" / "notes").read_text() == "a note\n" * 200


def test_only_its_owner_reads_it_and_nothing_unfinished_stays(backup: Path) -> None:
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert not list(backup.parent.glob("*.unfinished"))


def test_an_existing_file_is_not_written_over(backup: Path) -> None:
    before = backup.read_bytes()
    with pytest.raises(BackupError, match="exists already"):
        write_archive(backup, {}, {})
    assert backup.read_bytes() == before


def test_a_member_that_cannot_be_read_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_archive(tmp_path / "b.assay", {"database": tmp_path / "absent"}, {})
    assert list(tmp_path.iterdir()) == []


def test_every_changed_byte_is_noticed(backup: Path, tmp_path: Path) -> None:
    content = backup.read_bytes()
    damaged = tmp_path / "damaged.assay"
    unnoticed = []
    for place in range(0, len(content), 7):
        damaged.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            if not find_damage(damaged):
                unnoticed.append(place)
        except BackupError:
            continue
    # What is left are dates and attributes of members, which nothing reads.
    for place in unnoticed:
        damaged.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        extract(damaged, "database", tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / "database").read_bytes()


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_file_that_was_cut_is_named_as_damaged(backup: Path, part: float) -> None:
    content = backup.read_bytes()
    backup.write_bytes(content[: int(len(content) * part)])
    with pytest.raises(BackupError, match="is damaged, or is not a backup"):
        find_damage(backup)


def test_a_missing_and_an_exchanged_member_are_named(backup: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.assay"
    with zipfile.ZipFile(backup) as old, zipfile.ZipFile(changed, "w") as new:
        new.writestr("files/notes", "another note\n")
        new.writestr(MANIFEST, old.read(MANIFEST))
    assert find_damage(changed) == (
        "database is missing in changed.assay.",
        "files/notes in changed.assay is not what was stored.",
    )


def test_another_zip_is_no_backup(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr(MANIFEST, '{"schema": "other"}')
    with pytest.raises(BackupError, match="is not a backup of Assay"):
        read_manifest(tmp_path / "other.zip")
    with pytest.raises(BackupError, match="does not exist"):
        read_manifest(tmp_path / "absent.zip")
    shutil.copy(__file__, tmp_path / "text.zip")
    with pytest.raises(BackupError, match="is damaged, or is not a backup"):
        read_manifest(tmp_path / "text.zip")
