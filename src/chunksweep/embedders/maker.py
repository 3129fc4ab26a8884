"""Which embedder made a vector, kept beside it, so that what no longer serves can be told and dropped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chunksweep import embedders
from chunksweep.embedders.base import Embedder
from chunksweep.errors import ChunksweepError


@dataclass(frozen=True, slots=True)
class Maker:
    """An embedder by its name in conf/embedder/, its options, and the fingerprint that it had."""

    embedder: str
    options: Mapping[str, Any]
    fingerprint: str

    @classmethod
    def read(cls, text: str) -> Maker:
        """What `text` gave."""
        return cls(**json.loads(text))

    @property
    def text(self) -> str:
        """As JSON, equal for equal makers."""
        fields = {"embedder": self.embedder, "options": dict(self.options), "fingerprint": self.fingerprint}
        return json.dumps(fields, sort_keys=True)

    @property
    def serves(self) -> bool:
        """Whether a run could still ask for these vectors: the model is installed, and has the same fingerprint."""
        try:
            embedder: Embedder = embedders.find(self.embedder)(**self.options)
            return bool(embedder.model_sha256) and embedder.fingerprint == self.fingerprint
        except (ChunksweepError, TypeError):  # its weights or its name are gone, or an option that it had
            return False
