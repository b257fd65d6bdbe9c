"""A server of models with the Open Inference Protocol, and of texts with OpenAI's: `application` and `serve`."""

from __future__ import annotations

from ir_plugin.serving.limits import Limits as Limits
from ir_plugin.serving.server import application as application
from ir_plugin.serving.server import serve as serve
