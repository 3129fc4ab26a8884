"""Tiny models of sentence-transformers with random weights, written file by file, so that nothing heavy is imported."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from chunksweep.embedders.minilm import model_folder

VOCABULARY = 30_522
WIDTH = 16
POSITIONS = 64
WINDOW = 12
CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": WIDTH,
    "intermediate_size": 2 * WIDTH,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": POSITIONS,
    "num_attention_heads": 2,
    "num_hidden_layers": 1,
    "type_vocab_size": 2,
    "vocab_size": VOCABULARY,
}
MODULES = ["models.Transformer", "models.Pooling", "models.Normalize"]


def bert(
    folder: Path,
    *,
    seed: int = 0,
    prompts: Mapping[str, str] | None = None,
    default_prompt: str | None = None,
    modules: list[str] = MODULES,
    pooling: Mapping[str, Any] | None = None,
    window: int | None = WINDOW,
    config: Mapping[str, Any] | None = None,
) -> Path:
    """A BERT of one layer and 16 dimensions that reads English word pieces, MiniLM's, as `window` many tokens."""
    (folder / "1_Pooling").mkdir(parents=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(model_folder() / name, folder / name)
    _write(folder / "config.json", CONFIG | dict(config or {}))
    _write(folder / "sentence_bert_config.json", {"max_seq_length": window, "do_lower_case": False})
    _write(
        folder / "config_sentence_transformers.json", {"prompts": prompts or {}, "default_prompt_name": default_prompt}
    )
    _write(folder / "1_Pooling" / "config.json", pooling or {"embedding_dimension": WIDTH, "pooling_mode": "mean"})
    paths = ["", "1_Pooling", "2_Normalize"]
    listed = [
        {"idx": index, "name": str(index), "path": path, "type": f"sentence_transformers.{kind}"}
        for index, (path, kind) in enumerate(zip(paths, modules, strict=False))
    ]
    _write(folder / "modules.json", listed)
    save_file(_weights(seed), folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def static(folder: Path, tensors: Mapping[str, np.ndarray] | None = None) -> Path:
    """A table of 16 numbers a word piece, which a text's vector is the mean of; or other tensors in its place."""
    folder.mkdir(parents=True)
    shutil.copy(model_folder() / "tokenizer.json", folder / "tokenizer.json")
    kind = "sentence_transformers.models.StaticEmbedding"
    _write(folder / "modules.json", [{"idx": 0, "name": "0", "path": "", "type": kind}])
    table = {"embedding.weight": random_table()} if tensors is None else dict(tensors)
    save_file(table, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def random_table() -> np.ndarray:
    """float32 (word pieces, 16)."""
    return np.random.default_rng(0).standard_normal((VOCABULARY, WIDTH)).astype(np.float32)


def _weights(seed: int) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(seed)

    def linear(name: str, out: int, into: int) -> dict[str, np.ndarray]:
        matrix = draw.standard_normal((out, into)).astype(np.float32) * 0.5
        return {f"{name}.weight": matrix, f"{name}.bias": draw.standard_normal(out).astype(np.float32) * 0.1}

    def norm(name: str) -> dict[str, np.ndarray]:
        return {f"{name}.weight": np.ones(WIDTH, np.float32), f"{name}.bias": np.zeros(WIDTH, np.float32)}

    tables = {"word": VOCABULARY, "position": POSITIONS, "token_type": 2}
    layer = "encoder.layer.0"
    return {
        **{
            f"embeddings.{name}_embeddings.weight": draw.standard_normal((rows, WIDTH)).astype(np.float32)
            for name, rows in tables.items()
        },
        **norm("embeddings.LayerNorm"),
        **{
            key: values
            for part in ("query", "key", "value")
            for key, values in linear(f"{layer}.attention.self.{part}", WIDTH, WIDTH).items()
        },
        **linear(f"{layer}.attention.output.dense", WIDTH, WIDTH),
        **norm(f"{layer}.attention.output.LayerNorm"),
        **linear(f"{layer}.intermediate.dense", 2 * WIDTH, WIDTH),
        **linear(f"{layer}.output.dense", WIDTH, 2 * WIDTH),
        **norm(f"{layer}.output.LayerNorm"),
        **linear("pooler.dense", WIDTH, WIDTH),
    }


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")
