"""Continuous batching of texts: answers share the steps of one batch, and prompts that wait join between them."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import Any

import numpy.typing as npt

from ir_plugin import genai
from ir_plugin.serving.daemon_pool import settle
from ir_plugin.serving.metrics import Metrics
from ir_plugin.serving.text_messages import TextRequest
from ir_plugin.serving.text_model import Answer, Piece, PreparedPrompt, TextModel

_PROMPT_TOKENS = 128
"""Tokens of prompts that are computed between two steps of answers that run."""
Write = Callable[[int, Piece | Answer], object]


@dataclass(eq=False)
class _Job:
    """A request: what receives its answers, and how many of its prompts have none yet."""

    request: TextRequest
    write: Write
    cancelled: threading.Event
    future: asyncio.Future[None]
    unanswered: int = 0

    def end(self, fault: BaseException | None = None) -> None:
        """Tell the client that all is answered, or why not; rows that the request still has become free."""
        self.cancelled.set()
        settle(self.future, None, fault)


@dataclass(eq=False)
class _Entry:
    """A prompt of a request; it has a row while it is in the batch."""

    job: _Job
    prompt: PreparedPrompt
    row: genai.Row = field(default_factory=genai.Row)
    computed: int = 0
    """Tokens of the prompt that are computed."""
    new_tokens: int = 0

    @property
    def tokens(self) -> list[int]:
        """The tokens of the prompt."""
        return self.prompt.generation.prompt


class TextBatcher:
    """Answers requests in its own thread. `submit` and `close` belong to an event loop."""

    def __init__(self, served: TextModel, metrics: Metrics) -> None:
        self._served, self._metrics, self._batch = served, metrics, served.new_batch()
        self._arrivals: SimpleQueue[_Job | None] = SimpleQueue()
        self._waiting: deque[_Entry] = deque()
        self._running: list[_Entry] = []
        self.rounds = 0
        """How often prompts were computed or tokens generated; a request that waits for a row waits for rounds."""
        threading.Thread(target=self._work, name="ir-plugin-generate", daemon=True).start()

    def submit(self, request: TextRequest, write: Write, cancelled: threading.Event) -> asyncio.Future[None]:
        """Return a future that is done when all prompts are answered; `write` receives pieces and whole answers.

        It is called in another thread, with the index of a prompt, at the first token with an empty piece. The rows of
        a request whose event is set become free.
        """
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrivals.put(_Job(request, write, cancelled, future))
        return future

    def close(self) -> None:
        """End the thread after its step."""
        self._arrivals.put(None)

    def _work(self) -> None:
        while self._receive():
            self._drop_cancelled()
            self._join()
            if self._running:
                self._step()
            self.rounds += 1

    def _receive(self) -> bool:
        """Prepare the requests that have come, and wait for one if there is nothing to do; False after the last."""
        while not self._arrivals.empty() or not (self._running or self._waiting):
            job = self._arrivals.get()
            if job is None:
                return False
            if not job.cancelled.is_set():
                self._prepare(job)
        return True

    def _prepare(self, job: _Job) -> None:
        """Let the prompts of a request wait for rows."""
        try:
            prompts = self._served.prepared(job.request)
        except BaseException as fault:  # noqa: BLE001 (raised again where the future is awaited)
            job.end(fault)
            return
        job.unanswered = len(prompts)
        self._waiting += [_Entry(job, prompt) for prompt in prompts]

    def _drop_cancelled(self) -> None:
        """Free the rows of requests that nobody waits for."""
        for entry in [entry for entry in self._running if entry.job.cancelled.is_set()]:
            self._leave(entry)
        self._waiting = deque(entry for entry in self._waiting if not entry.job.cancelled.is_set())

    def _join(self) -> None:
        """Compute the prompts that have waited longest; give rows to those that are whole, and their first tokens."""
        parts = self._next_parts()
        for at, (entry, end) in enumerate(parts, 1):
            try:
                logits = self._batch.prefill(entry.tokens, entry.computed, end)
                entry.computed = end
                if end < len(entry.tokens):
                    break
                following = [len(other.tokens) for other, end in parts[at:] if end == len(other.tokens)]
                entry.row = self._batch.join(entry.tokens, following)
            except BaseException as fault:  # noqa: BLE001 (raised again where the future is awaited)
                self._waiting.remove(entry)
                entry.job.end(fault)
                self._drop_lost(fault)
                continue
            self._waiting.remove(entry)
            self._running.append(entry)
            entry.job.write(entry.prompt.index, Piece())
            self._advance([(entry, logits)])

    def _next_parts(self) -> list[tuple[_Entry, int]]:
        """Return which prompts to compute before the next step, and up to which token.

        A step of answers that run waits for few tokens of prompts; where none run, for the first prompt.
        """
        left, parts = _PROMPT_TOKENS, list[tuple[_Entry, int]]()
        for entry in islice(self._waiting, self._served.max_rows - len(self._running)):
            remaining = len(entry.tokens) - entry.computed
            count = min(remaining, left) if self._running or parts else remaining
            if count <= 0:
                break
            parts.append((entry, entry.computed + count))
            left -= count
        return parts

    def _step(self) -> None:
        """Generate a token for each row."""
        self._metrics.batch_rows.observe(len(self._running))
        try:
            logits = self._batch.step({entry.row: entry.prompt.last_token for entry in self._running})
        except BaseException as fault:  # noqa: BLE001 (raised again where the future is awaited)
            self._batch.clear()
            self._drop_lost(fault)
            return
        self._advance([(entry, logits[entry.row]) for entry in self._running])

    def _drop_lost(self, fault: BaseException) -> None:
        """Let the requests fail whose rows the batch has lost."""
        lost = [entry for entry in self._running if entry.row not in self._batch.rows]
        for entry in lost:
            self._running.remove(entry)
            entry.job.end(fault)

    def _advance(self, rows: Sequence[tuple[_Entry, npt.NDArray[Any]]]) -> None:
        """Choose the next token of rows by their logits, and write their pieces; rows of ended answers are free."""
        going = [entry for entry, logits in rows if self._goes_on(entry, logits)]
        try:
            pieces = self._served.next_pieces([entry.prompt for entry in going])
        except BaseException as fault:  # noqa: BLE001 (raised again where the future is awaited)
            for entry in going:
                entry.job.end(fault)
                self._leave(entry)
            return
        for entry, piece in zip(going, pieces, strict=True):
            if piece is not None:
                entry.job.write(entry.prompt.index, piece)

    def _goes_on(self, entry: _Entry, logits: npt.NDArray[Any]) -> bool:
        """Choose the next token of a row, and return whether its answer has not ended."""
        job, generation = entry.job, entry.prompt.generation
        try:
            entry.new_tokens += generation.advance(logits[None])
            if generation.running:
                return True
            job.write(entry.prompt.index, self._served.answer(entry.prompt, entry.new_tokens))
        except BaseException as fault:  # noqa: BLE001 (raised again where the future is awaited)
            job.end(fault)
        self._leave(entry)
        job.unanswered -= 1
        if not job.unanswered:
            job.end()
        return False

    def _leave(self, entry: _Entry) -> None:
        self._running.remove(entry)
        self._batch.leave(entry.row)
