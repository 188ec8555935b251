"""The numbers of `/metrics`."""

from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families

Labels = frozenset[tuple[str, str]]


class MetricsPage:
    """One look at the page."""

    def __init__(self, text: str) -> None:
        self._found: dict[str, dict[Labels, float]] = {}
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                self._found.setdefault(sample.name, {})[frozenset(sample.labels.items())] = sample.value

    def by(self, name: str, label: str) -> dict[str, float]:
        """The sums of a metric by one of its labels."""
        sums: dict[str, float] = {}
        for labels, value in self._found.get(name, {}).items():
            key = dict(labels).get(label, "")
            sums[key] = sums.get(key, 0.0) + value
        return sums

    def sum(self, name: str, **labels: str) -> float:
        """The sum of a metric over all that have these labels."""
        wanted = frozenset(labels.items())
        return sum(value for said, value in self._found.get(name, {}).items() if wanted <= said)

    def has(self, name: str) -> bool:
        """Whether there is any number of that name."""
        return name in self._found

    def label(self, name: str, label: str) -> str | None:
        """The label of the first number of that name."""
        return next((dict(said).get(label) for said in self._found.get(name, {})), None)


def only_positive(found: Mapping[str, float]) -> dict[str, int]:
    """Those that are not zero, as whole numbers."""
    return {name: int(value) for name, value in sorted(found.items()) if value}
