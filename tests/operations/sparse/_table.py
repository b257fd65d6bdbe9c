"""The table of the specification's examples."""

from __future__ import annotations

import numpy as np

from tests.support.sample import param

TABLE = param(np.array([[-0.2, -0.6], [-0.1, -0.4], [-1.9, -1.8], [-1, 1.5], [0.8, -0.7]], np.float32))
CUBE = np.arange(24).reshape(4, 3, 2)
