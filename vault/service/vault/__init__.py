"""The `Vault`: one method for each use case. This is what Python programs work with, and what every surface calls."""

from vault.service.vault.administration import Administration
from vault.service.vault.checking import Checking
from vault.service.vault.history import History
from vault.service.vault.knowledge import Knowledge
from vault.service.vault.reading import Reading
from vault.service.vault.writing import Writing


class Vault(Reading, Knowledge, History, Writing, Checking, Administration):
    """A vault as one reader sees it.

    ```python
    with Vault.open("notes") as vault:
        vault.add("actor", {"name": "Bob", "kind": "person"})
        said = {"claimKey": "role", "content": "Bob is CTO", "value": "CTO"}
        vault.remember({"structured": {"aspects": [{"entityName": "Bob", "aspect": "work", "attributes": [said]}]}})
        for found in vault.search("who is the CTO"):
            print(found.stored.entry.key, found.path, found.line)
    ```

    A vault belongs to the thread that opened it; another thread opens one of its own. Any number of them, in one
    process or many, may read and write the same folder: writers wait for each other, and readers never see half of a
    write. What goes wrong is raised as a `VaultError` with a `code`, a `message` and a `hint`.
    """
