"""The API does what its document says: what schemathesis makes of the document is answered as described there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endurance import amount
from tests.serve.running import environ, serving
from tests.service.conftest import Git
from vault.serve.operations import OPERATIONS
from vault.service.vault import Vault
from vault.service.write.facts import record

#: How schemathesis makes up requests.
PHASES = amount("coverage", "coverage,fuzzing")

#: Names that the walk needs, so that it gets somewhere; all else is made up.
KNOWN = """
[[operations]]
include-path-regex = "/navigation/.*"
parameters = { entity = "bob", name = "bob", aspect = "work", group = "general", claim = "role" }

[[operations]]
include-path-regex = "/history$"
parameters = { of = "bob" }

[[operations]]
include-path-regex = "/query$"
parameters = { query = "from *" }
"""


@pytest.mark.endurance
def test_what_is_asked_by_the_document_is_answered_by_it(bob: Vault, root: Path, git: Git, tmp_path: Path) -> None:
    record(bob, "bob", "work/role", "Bob is CTO", {})
    config, log = tmp_path / "schemathesis.toml", tmp_path / "log"
    config.write_text(KNOWN)
    with serving(root, log, "--rate=100000") as address:
        ended = subprocess.run(
            [
                *(Path(sys.executable).with_name("schemathesis"), f"--config-file={config}", "run"),
                *(
                    f"{address}/openapi.json",
                    "--seed=1",
                    f"--phases={amount('coverage', 'coverage,fuzzing')}",
                    "--max-examples=4",
                ),
                # what the shape of a request allows may still name nothing, or say what a schema does not
                "--exclude-checks=positive_data_acceptance",
                *("--continue-on-failure", "--no-color"),
            ],
            env=environ(),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"Tested: {len(OPERATIONS)}" in ended.stdout
    passed = re.search(r"(\d+) generated, (\d+) passed", ended.stdout)
    assert passed, ended.stdout
    assert passed[1] == passed[2]
    assert int(passed[1]) > amount(500, 1_000)
    assert "Traceback" not in log.read_text()
    assert not [item for item in bob.check() if item.severity == "error"]
    assert git("status", "--porcelain") == ""
