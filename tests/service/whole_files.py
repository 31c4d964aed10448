"""What tests of whole files share: an entry, and operations that change nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vault.errors import VaultError
from vault.service.vault import Vault

ADA = 'actor ada { name = "Ada" kind = enum"person" }\n'
PLACE = "global/actor/ada.firm"


def refused(error: type[VaultError], act: Callable[..., object], vault: Vault, *words: Any, **options: Any) -> Any:
    """See an operation refused, and every file left as it was; returns the error."""
    root = vault.root

    def held() -> dict[Path, bytes]:
        places = [place for place in root.rglob("*") if ".git" not in place.parts and ".vault" not in place.parts]
        return {place: place.read_bytes() for place in places if place.is_file()}

    before = held()
    with pytest.raises(error) as caught:
        act(vault, *words, **options)
    assert held() == before
    return caught.value
