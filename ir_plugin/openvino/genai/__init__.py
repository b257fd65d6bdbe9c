"""Language models that generate text, as `openvino_genai`: texts in, texts out."""

from ir_plugin.diagnostics.modules import names_of
from ir_plugin.openvino.api import get_version
from ir_plugin.openvino.genai.chat_history import ChatHistory
from ir_plugin.openvino.genai.config_files import read_json
from ir_plugin.openvino.genai.context import Context
from ir_plugin.openvino.genai.decoding_batch import DecodingBatch, Row, batching_obstacle, padded_rows
from ir_plugin.openvino.genai.generation import Generation
from ir_plugin.openvino.genai.generation_config import GenerationConfig, StopCriteria
from ir_plugin.openvino.genai.model_file import read_model
from ir_plugin.openvino.genai.perf_metrics import MeanStdPair, PerfMetrics, RawPerfMetrics, SummaryStats
from ir_plugin.openvino.genai.pipeline import LLMPipeline
from ir_plugin.openvino.genai.results import DecodedResults, EncodedResults, GenerationFinishReason
from ir_plugin.openvino.genai.sequences import Sequence
from ir_plugin.openvino.genai.streamers import StreamerBase, StreamingStatus, TextStreamer
from ir_plugin.openvino.genai.text_embedding import TextEmbeddingPipeline
from ir_plugin.openvino.genai.text_pieces import TextPieces
from ir_plugin.openvino.genai.text_rerank import TextRerankPipeline
from ir_plugin.openvino.genai.tokenizer import TokenizedInputs, Tokenizer, token_ids
from ir_plugin.reader.foreign import MODEL_FILE

__all__ = [
    "MODEL_FILE",
    "ChatHistory",
    "Context",
    "DecodedResults",
    "DecodingBatch",
    "EncodedResults",
    "Generation",
    "GenerationConfig",
    "GenerationFinishReason",
    "LLMPipeline",
    "MeanStdPair",
    "PerfMetrics",
    "RawPerfMetrics",
    "Row",
    "Sequence",
    "StopCriteria",
    "StreamerBase",
    "StreamingStatus",
    "SummaryStats",
    "TextEmbeddingPipeline",
    "TextPieces",
    "TextRerankPipeline",
    "TextStreamer",
    "TokenizedInputs",
    "Tokenizer",
    "__version__",
    "batching_obstacle",
    "get_version",
    "padded_rows",
    "read_json",
    "read_model",
    "token_ids",
]

__getattr__, __dir__ = names_of("genai")
