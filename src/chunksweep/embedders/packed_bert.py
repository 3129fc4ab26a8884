"""BERT with mean pooling on the processor, over texts laid end to end: nothing is computed on padding.

The model of Devlin et al. (2019), https://arxiv.org/abs/1810.04805, as Hugging Face's BertModel and the modules
Transformer, Pooling and Normalize of sentence-transformers compute it, from the same files. Those take four seconds to
import where torch takes one, since transformers brings in torch's compiler and its distributed tensors and
sentence-transformers scikit-learn; and they pad every text of a batch to the longest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

from chunksweep.records import Vectors

MODULES = ["Transformer", "Pooling", "Normalize"]
TRANSFORMER = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}


def can_run(folder: Path) -> bool:
    """Whether the model in sentence-transformers' layout is of this kind: BERT, the mean of its tokens, length 1."""
    modules = _json(folder / "modules.json")
    if [str(module["type"]).rpartition(".")[2] for module in modules] != MODULES:
        return False
    config = {"position_embedding_type": "absolute"} | _json(folder / "config.json")
    return _takes_mean(_json(folder / modules[1]["path"] / "config.json")) and config.items() >= TRANSFORMER.items()


def finds_weights(folder: Path) -> bool:
    """Whether the weights lie in one file and are called as BertModel calls them, without a name before."""
    path = folder / "model.safetensors"
    if not path.is_file():
        return False
    with safe_open(path, "pt") as weights:
        return "embeddings.word_embeddings.weight" in weights.keys()  # noqa: SIM118 - it has no other way to ask


def _takes_mean(pooling: dict[str, Any]) -> bool:
    """Whether the mean of all tokens is taken, those of a prompt included, as the library writes it since version 6.

    Earlier ones wrote a truth value for each mode.
    """
    pooling = {"include_prompt": True} | pooling
    modes = {name for name, on in pooling.items() if name.startswith("pooling_mode_") and on is True}
    mode = pooling.get("pooling_mode", "mean" if modes == {"pooling_mode_mean_tokens"} else None)
    return pooling["include_prompt"] is True and mode == "mean"


class PackedBert:
    """A loaded model.

    folder  holds config.json and model.safetensors
    dtype   in which it computes; vectors are float32 in any case
    """

    def __init__(self, folder: Path, dtype: torch.dtype = torch.float32) -> None:
        config = _json(folder / "config.json")
        self.weights = {name: values.to(dtype) for name, values in load_file(folder / "model.safetensors").items()}
        self.heads = int(config["num_attention_heads"])
        self.epsilon = float(config["layer_norm_eps"])
        self.layers = [f"encoder.layer.{index}" for index in range(config["num_hidden_layers"])]
        for layer in self.layers:
            self._join_projections(f"{layer}.attention.self")

    def embed(self, texts: Sequence[Sequence[int]]) -> Vectors:
        """Unit vectors, float32 (texts, dimension), in the order given.

        texts  the token ids of each, special tokens included; those of equal length best stand together
        """
        lengths = [len(text) for text in texts]
        with torch.inference_mode():
            states = self._embeddings(texts, lengths)
            for layer in self.layers:
                states = self._layer(layer, states, lengths)
            means = [block.float().mean(dim=1) for block in _blocks(states, lengths)]
            vectors: Vectors = functional.normalize(torch.cat(means), dim=1).numpy()
        return vectors

    def _join_projections(self, name: str) -> None:
        """One product in place of three."""
        for kind in ("weight", "bias"):
            parts = [self.weights.pop(f"{name}.{part}.{kind}") for part in ("query", "key", "value")]
            self.weights[f"{name}.{kind}"] = torch.cat(parts)

    def _embeddings(self, texts: Sequence[Sequence[int]], lengths: Sequence[int]) -> Tensor:
        tables = "embeddings.{}_embeddings.weight"
        tokens = torch.tensor([token for text in texts for token in text])
        positions = torch.cat([torch.arange(length) for length in lengths])
        states = self.weights[tables.format("word")][tokens] + self.weights[tables.format("position")][positions]
        return self._normalised("embeddings", states + self.weights[tables.format("token_type")][0])

    def _layer(self, name: str, states: Tensor, lengths: Sequence[int]) -> Tensor:
        attended = self._attention(self._linear(f"{name}.attention.self", states), lengths)
        attended = self._linear(f"{name}.attention.output.dense", attended)
        states = self._normalised(f"{name}.attention.output", attended.add_(states))
        inner = functional.gelu(self._linear(f"{name}.intermediate.dense", states))
        return self._normalised(f"{name}.output", self._linear(f"{name}.output.dense", inner).add_(states))

    def _attention(self, projected: Tensor, lengths: Sequence[int]) -> Tensor:
        """Each text attends to itself alone.

        projected  (tokens, 3 * dimension): queries, keys and values
        """
        attended = projected.new_empty(len(projected), projected.shape[1] // 3)
        for block, into in zip(_blocks(projected, lengths), _blocks(attended, lengths), strict=True):
            texts, tokens, _ = block.shape
            queries, keys, values = block.view(texts, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            of_block = functional.scaled_dot_product_attention(queries, keys, values)  # (texts, heads, tokens, width)
            into.view(texts, tokens, self.heads, -1).copy_(of_block.transpose(1, 2))
        return attended

    def _linear(self, name: str, states: Tensor) -> Tensor:
        return functional.linear(states, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _normalised(self, name: str, states: Tensor) -> Tensor:
        weight, bias = (self.weights[f"{name}.LayerNorm.{kind}"] for kind in ("weight", "bias"))
        return functional.layer_norm(states, weight.shape, weight, bias, self.epsilon)


def _blocks(states: Tensor, lengths: Sequence[int]) -> Iterator[Tensor]:
    """Views (texts, tokens, width) of states (all tokens, width): one for each run of texts of equal length."""
    first = 0
    for length, run in groupby(lengths):
        last = first + length * len(list(run))
        yield states[first:last].view(-1, length, states.shape[1])
        first = last


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
