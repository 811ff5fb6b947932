"""The output of GLTR (Gehrmann et al. 2019) as its server writes it: tokens, ranks, probabilities, likely tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from metrics.data.json_files import Record, read_object
from metrics.errors import BadInput
from metrics.text_scores.token_predictions import TOP, Backend, Predictions, check_predictions, top_entropy
from metrics.text_scores.vocabulary import readable_tokens


def read_gltr(path: Path, *, backend: Backend | None = None) -> Predictions:
    """Predictions of one text from GLTR's JSON; the first token is the start and has no prediction.

    Read are `bpe_strings` [N + 1], `real_topk` [N] (0-based rank, probability) and `pred_topk` [N] (likeliest tokens
    with probabilities, in order), with or without the `result` around them. Entropy: of the top 10 renormalised.
    Probabilities are rounded to five digits there; `probability 0` is a rounded one. Raises BadInput,
    InsufficientData.
    """
    document = read_object(path)
    result = document.record("result") if "result" in document.values else document
    pieces, real, predicted = (result.sequence(key) for key in ("bpe_strings", "real_topk", "pred_topk"))
    if not len(pieces) == len(real) + 1 == len(predicted) + 1:
        rule = f"{len(pieces)} tokens, the start included, need {len(pieces) - 1} entries"
        raise result.error("real_topk" if len(real) + 1 != len(pieces) else "pred_topk", rule)
    ranks, probabilities, tops, entropies = [], [], [], []
    for place, (real_token, likeliest) in enumerate(zip(real, predicted, strict=True), start=1):
        rank, probability = _token_rank(result, real_token, place)
        best = _likeliest(result, likeliest, place)
        ranks.append(rank + 1)
        probabilities.append(probability)
        tops.append(best[0])
        try:
            entropies.append(top_entropy(best[:TOP]))
        except BadInput as error:
            raise result.error("pred_topk", f"token {place}: {error.rule}") from None
    return check_predictions(
        path.name,
        _pieces(result, pieces)[1:],
        probabilities,
        tops,
        rank=ranks,
        entropy=entropies,
        entropy_of=f"top {TOP}",
        backend=backend,
    )


def _pieces(record: Record, pieces: Sequence[Any]) -> list[str]:
    if not all(isinstance(piece, str) for piece in pieces):
        raise record.error("bpe_strings", "every token must be a text")
    return readable_tokens(pieces)


def _token_rank(result: Record, pair: object, place: int) -> tuple[int, float]:
    if isinstance(pair, list) and len(pair) == 2:
        rank, probability = pair
        if _is_int(rank) and rank >= 0 and _number(probability):
            return rank, float(probability)
    raise result.error("real_topk", f"token {place}: a rank from 0 and a probability were expected")


def _likeliest(result: Record, pairs: object, place: int) -> list[float]:
    if isinstance(pairs, list) and pairs:
        values = [pair[1] for pair in pairs if isinstance(pair, list) and len(pair) == 2]
        if len(values) == len(pairs) and all(_number(value) for value in values):
            return [float(value) for value in values]
    raise result.error("pred_topk", f"token {place}: a list of tokens with probabilities was expected")


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
