"""The language model of a folder that is served: requests in, prepared prompts out, and their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ir_plugin import genai
from ir_plugin.errors import ArgumentValueError
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.log_probabilities import AnswerTokens, ScoredToken, TokenTexts
from ir_plugin.serving.request_error import RequestError
from ir_plugin.serving.text_messages import PARAMETER_NAMES, Prompt, TextRequest, is_text

_UNLIMITED = genai.GenerationConfig().max_new_tokens


@dataclass(frozen=True)
class Piece:
    """A piece of an answer: its text, and the tokens that no piece had before if their probabilities are asked for."""

    text: str = ""
    tokens: Sequence[ScoredToken] | None = None


@dataclass(frozen=True)
class Answer:
    """A whole answer: its text, why it ended, the tokens of prompt and answer, and the last piece.

    The tokens of a prompt with several answers count for the first one. The last piece of an answer without pieces has
    no text, but all tokens.
    """

    text: str
    finish_reason: str
    prompt_tokens: int
    new_tokens: int
    rest: Piece


class PassedTokens(genai.StreamerBase):
    """Keeps the tokens that no stop string can take back until their text is asked for."""

    def __init__(self) -> None:
        self._tokens: list[int] = []

    def write(self, token: int | Sequence[int]) -> None:
        """Receive tokens."""
        self._tokens += [token] if isinstance(token, int) else token

    def end(self) -> None:
        """Receive the end of generation."""

    def take(self) -> list[int]:
        """Return the tokens that came since the last call."""
        tokens, self._tokens = self._tokens, []
        return tokens


@dataclass(frozen=True)
class PreparedPrompt:
    """A prompt of a request: its index, what is generated after it, and how many of its tokens count.

    `pieces` cut the text of the `passed` tokens if the answer is streamed; `tokens` are there if their probabilities
    are asked for.
    """

    index: int
    generation: genai.Generation
    counted_tokens: int
    passed: PassedTokens
    pieces: genai.TextPieces | None
    tokens: AnswerTokens | None

    @property
    def last_token(self) -> int:
        """The token whose logits come next."""
        return self.generation.running[0].tokens[-1]

    def cut(self, text: str, sequence: genai.Sequence, end: int) -> Piece:
        """Return a piece with the tokens up to an end that no piece had before."""
        return Piece(text, None if self.tokens is None else self.tokens.until(sequence, end))


class TextModel:
    """The pipeline of a folder with a name. One thread at a time may use it."""

    def __init__(self, folder: Path, name: str, limits: Limits, config: dict[str, Any]) -> None:
        self.name, self._max_tokens = name, limits.answer_tokens
        self.created = int((folder / genai.MODEL_FILE).stat().st_mtime)
        self._pipeline = genai.LLMPipeline(folder, "CPU", **config)
        self._tokenizer = self._pipeline.get_tokenizer()
        self._texts = TokenTexts(self._tokenizer)
        self._vocabulary_size = len(self._tokenizer.get_vocab_vector())
        self._context = genai.Context.of(folder)
        model = self._pipeline.language_model
        self.obstacle = "" if limits.max_batch == 1 else genai.batching_obstacle(model, self._vocabulary_size)
        """Why prompts are answered one after another, empty where they are not."""
        self.max_rows = 1 if self.obstacle else limits.max_batch

    def warm(self) -> None:
        """Generate tokens alone and in batches of all sizes, so that kernels and plans are compiled."""
        self._pipeline.generate("a", max_new_tokens=2, ignore_eos=True)
        batch, prompt, rows = self.new_batch(), [0], list[genai.Row]()
        while len(rows) < self.max_rows:
            batch.prefill(prompt, 0, 1)
            rows.append(batch.join(prompt))
            if len(rows) == genai.padded_rows(len(rows), self.max_rows):
                batch.step(dict.fromkeys(rows, 0))

    def new_batch(self) -> genai.DecodingBatch:
        """Return a batch of prompts that are answered together."""
        return genai.DecodingBatch(self._pipeline.language_model, self.max_rows)

    def prepared(self, request: TextRequest) -> list[PreparedPrompt]:
        """Return the prompts of a request, which have pieces if it is streamed."""
        prompts, defaults = list[PreparedPrompt](), self._pipeline.get_generation_config()
        for index, prompt in enumerate(request.prompts):
            parameters, tokens = dict(request.parameters), self._tokens(prompt)
            if parameters.get("do_sample") and index:
                parameters["rng_seed"] = (parameters.get("rng_seed", 0) + index) % 2**63
            parameters["max_new_tokens"] = self._new_tokens(len(tokens), request.max_tokens)
            if "stop_token_ids" in parameters:
                parameters["stop_token_ids"] = parameters["stop_token_ids"] | defaults.stop_token_ids
            config = _validated(defaults.copied(**parameters))
            passed, pieces = PassedTokens(), genai.TextPieces(self._tokenizer) if request.is_stream else None
            is_repeated = index > 0 and prompt is request.prompts[index - 1]
            generation = genai.Generation(tokens, config, self._tokenizer, passed if request.is_stream else None)
            scored = None if request.log_probs is None else AnswerTokens(self._texts, request.log_probs)
            counted = 0 if is_repeated else len(tokens)
            prompts.append(PreparedPrompt(index, generation, counted, passed, pieces, scored))
        return prompts

    def next_pieces(self, prompts: Sequence[PreparedPrompt]) -> list[Piece | None]:
        """Return the piece of each prompt whose text is certain since the last one, None where there is none."""
        return [
            prompt.cut(text, prompt.generation.running[0], prompt.generation.passed) if text else None
            for prompt, text in zip(prompts, self._next_texts(prompts), strict=True)
        ]

    def _next_texts(self, prompts: Sequence[PreparedPrompt]) -> list[str]:
        """Return the text that is certain since the last piece of each prompt; all are decoded at once."""
        tokens = [prompt.passed.take() for prompt in prompts]
        windows = [
            [] if prompt.pieces is None or not new else prompt.pieces.append(new)
            for prompt, new in zip(prompts, tokens, strict=True)
        ]
        decoded = iter(self._decoded([window for window in windows if window]))
        return [
            prompt.pieces.piece(next(decoded) if window else None) if prompt.pieces is not None and new else ""
            for prompt, new, window in zip(prompts, tokens, windows, strict=True)
        ]

    def _decoded(self, rows: Sequence[list[int]]) -> list[str]:
        """Return the texts of rows of tokens, of one call if the tokens that fill rows up have no text."""
        if len(rows) > 1 and self._texts.textless(self._tokenizer.get_pad_token_id()):
            texts: list[str] = self._tokenizer.decode(rows)
            return texts
        return [self._tokenizer.decode(row) for row in rows]

    def answer(self, prompt: PreparedPrompt, new_tokens: int) -> Answer:
        """Return the answer to a prompt that ended after this number of tokens."""
        generation = prompt.generation
        sequence, _ = generation.end()[0]
        text = self._tokenizer.decode([*generation.echoed, *sequence.tokens])
        is_long = sequence.finish_reason == genai.GenerationFinishReason.LENGTH
        is_ended = not is_long and bool(sequence.tokens) and self._texts.textless(sequence.tokens[-1])
        (last,) = self._next_texts([prompt])
        rest = last + ("" if prompt.pieces is None else prompt.pieces.rest())
        piece = prompt.cut(rest, sequence, len(sequence.tokens) - is_ended)
        return Answer(text, "length" if is_long else "stop", prompt.counted_tokens, new_tokens, piece)

    def _new_tokens(self, length: int, requested: int | None) -> int:
        """Return how many tokens an answer may have; raises for more than the server or the model allow."""
        most = self._max_tokens if self._context is None else min(self._max_tokens, self._context.length - length)
        if (requested or 1) > most:
            raise RequestError(
                f"the prompt has {length} tokens, so that at most {max(most, 0)} may be generated",
                param="max_tokens",
                code="context_length_exceeded",
            )
        default = self._pipeline.get_generation_config().max_new_tokens
        return requested or min(most, default if default != _UNLIMITED else most)

    def _tokens(self, prompt: Prompt) -> list[int]:
        if isinstance(prompt, list):
            if max(prompt) >= self._vocabulary_size:
                raise RequestError(f"prompt has tokens beyond {self._vocabulary_size - 1}", param="prompt")
            return prompt
        if isinstance(prompt, str):
            ids = genai.token_ids(self._tokenizer, prompt)
        else:
            text = self._tokenizer.apply_chat_template(prompt, add_generation_prompt=True)
            if not is_text(text):
                raise RequestError("the text of the messages has half a character", param="messages")
            ids = genai.token_ids(self._tokenizer, text, add_special_tokens=False)
        if not ids:
            raise RequestError("a prompt has no tokens", param="prompt")
        return ids


def _validated(config: genai.GenerationConfig) -> genai.GenerationConfig:
    """Return a configuration; raises for one that cannot be, by the name that a request has for it."""
    try:
        config.validate()
    except ArgumentValueError as fault:
        name, _, rest = str(fault).partition(" ")
        param = PARAMETER_NAMES.get(name)
        raise RequestError(f"{param or name} {rest}", param=param) from None
    return config
