"""The metrics of a server in the format of Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """Counters, gauges and histograms of one server, with the model's name as a label."""

    def __init__(self, model: str) -> None:
        self.registry = CollectorRegistry()
        labels = ["model"]

        def histogram(name: str, text: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(name, text, labels, registry=self.registry, buckets=buckets).labels(model)

        self._requests = Counter(
            "ir_plugin_requests", "Inference requests by HTTP status.", [*labels, "status"], registry=self.registry
        )
        self.pending = Gauge(
            "ir_plugin_pending_requests", "Requests that wait or run.", labels, registry=self.registry
        ).labels(model)
        self.request_seconds = histogram("ir_plugin_request_seconds", "From request to response.", _SECONDS)
        self.queue_seconds = histogram("ir_plugin_queue_seconds", "From request to the run of its batch.", _SECONDS)
        self.inference_seconds = histogram("ir_plugin_inference_seconds", "Run of a batch.", _SECONDS)
        self.batch_rows = histogram("ir_plugin_batch_rows", "Rows of a batch, without padding.", _ROWS)
        self._model = model

    def count(self, status: int) -> None:
        """Count a request by its status."""
        self._requests.labels(self._model, str(status)).inc()

    def text(self) -> bytes:
        """Return the metrics as text."""
        text: bytes = generate_latest(self.registry)
        return text
