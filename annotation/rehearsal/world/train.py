"""Train the tiny model on headlines of the grammar and write its weights: `python -m annotation.rehearsal.world.train`.

About half a minute on one core. Needs torch; nothing else of the world does.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .grammar import Grammar
from .model import EPSILON, WEIGHTS_FILE
from .vocabulary import END, MAX_WORDS


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the weights; the defaults made the shipped file."""

    headlines: int = 800
    steps: int = 3000
    batch: int = 128
    width: int = 12
    heads: int = 2
    layers: int = 1
    rate: float = 3e-3
    decay: float = 0.01
    seed: int = 20261120


class Norm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + float(EPSILON)) * self.gain


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = Norm(width), Norm(width)
        self.query, self.key, self.value, self.mix = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        y = self.norm1(x)
        query, key, value = (
            part(y).view(n, length, self.heads, -1).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.mix(mixed.transpose(1, 2).reshape(n, length, width))
        return x + self.down(torch.relu(self.up(self.norm2(x))))


class TorchModel(nn.Module):
    """The same network as `model.TinyTransformer`, for training."""

    def __init__(self, words: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.embed = nn.Parameter(torch.randn(words + 2, width) * 0.1)
        self.place = nn.Parameter(torch.randn(MAX_WORDS + 1, width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = Norm(width)

    def forward(self, inputs: Tensor) -> Tensor:
        """Logits (n, length, words + 1) after each of the embedding rows `inputs` (n, length)."""
        x = self.embed[inputs] + self.place[: inputs.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.embed[:-1].T

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights under the names that `model.TinyTransformer` reads; matrices as (in, out)."""
        named: dict[str, Tensor] = {"embed": self.embed, "place": self.place, "norm": self.norm.gain}
        for number, block in enumerate(self.blocks):
            named |= {f"{number}.norm1": block.norm1.gain, f"{number}.norm2": block.norm2.gain}
            for name in ("query", "key", "value", "mix", "up", "down"):
                named[f"{number}.{name}"] = getattr(block, name).weight.T
        return {name: tensor.detach().contiguous().numpy().astype(np.float32) for name, tensor in named.items()}


def train(recipe: Recipe, grammar: Grammar) -> TorchModel:
    """Fit next-word prediction on `recipe.headlines` samples of the grammar, with AdamW and a cosine rate."""
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(1)  # so small a network only waits for its second thread
    ids = torch.from_numpy(grammar.sample(recipe.headlines, np.random.default_rng(recipe.seed)).astype(np.int64))
    begin = torch.full((len(ids), 1), len(grammar.vocabulary) + 1)
    inputs = torch.cat([begin, ids[:, :-1]], dim=1)
    live = torch.cat([torch.ones_like(begin), ids[:, :-1]], dim=1) != END
    model = TorchModel(len(grammar.vocabulary), recipe.width, recipe.heads, recipe.layers)
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    for step in range(recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * 0.5 * (1 + math.cos(math.pi * step / recipe.steps)) * min(1.0, (step + 1) / 50)
        rows = torch.randint(len(ids), (recipe.batch,))
        keep = live[rows]
        loss = nn.functional.cross_entropy(model(inputs[rows])[keep], ids[rows][keep])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if (step + 1) % 250 == 0:
            print(f"step {step + 1}/{recipe.steps}: {loss.item():.3f} nats a token", flush=True)
    return model


def save(model: TorchModel, heads: int, words: tuple[str, ...], path: Path) -> None:
    """Write the weights file described in `model`."""
    text = np.frombuffer("\n".join(words).encode("utf-8"), dtype=np.uint8)
    arrays: dict[str, Any] = {**model.arrays(), "heads": np.int64(heads), "words": text}
    np.savez(path, **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the tiny model of the rehearsal world.")
    parser.add_argument("--out", type=Path, default=WEIGHTS_FILE, help="weights file to write")
    out = parser.parse_args().out
    grammar = Grammar.shipped()
    recipe = Recipe()
    save(train(recipe, grammar), recipe.heads, grammar.vocabulary.words, out)
    print(f"wrote {out} ({out.stat().st_size / 1e3:.0f} kB)")


if __name__ == "__main__":
    main()
