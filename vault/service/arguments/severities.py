"""Which severity of a finding makes a command fail."""

from typing import cast

from vault.diagnostics import SEVERITY_ORDER, Severity
from vault.knowledge.hygiene.finding import Report
from vault.knowledge.navigate.parameters import checked_word


def fails(report: Report, fail_on: str | None) -> bool:
    """Whether a report has findings of a severity, or of a worse one. Raises `InvalidParameter`."""
    if fail_on is None:
        return False
    severities = tuple(SEVERITY_ORDER)
    worst_first = severities[: severities.index(cast("Severity", checked_word("fail_on", fail_on, severities))) + 1]
    return any(report.number(severity) for severity in worst_first)
