"""Scoring of candidates against a plain restatement of the original loops, interleaved in one run.

    python -m tests.benchmarks.bench_loglik [--rounds N] [--device cpu|cuda] [--jobs causal,seq2seq,gltr]

Models have random weights at the size of GPT-2 small (124 M) and BART base (139 M), embeddings enlarged so that scores
differ. The restated loop scores one pair at a time: the whole sequence, the head and log-softmax at every place, then
the mean over the candidate's tokens. Each round times the loop and ours in turn; ratios are medians over rounds.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from transformers import BartConfig, BartForConditionalGeneration, GPT2Config, GPT2LMHeadModel

from metrics.likelihood.decoding import Decoding
from metrics.likelihood.packing import Job, Shape
from metrics.likelihood.screening import Choice, screen_choices
from metrics.likelihood.torch_engine import Engine
from metrics.likelihood.torch_loading import fuse_gelu
from metrics.likelihood.torch_probe import engine_for
from metrics.likelihood.torch_steps import Reading, reading_log_prob, reading_statistics

VOCABULARY = 50257
EOS = 50256
SIZES = ((4, 400, 40), (8, 100, 15))
BODY_GPT2 = 2 * 85e6


def enlarged(model: Any, seed: int) -> Any:
    """The model in evaluation mode, its embeddings drawn wider."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        table = model.get_input_embeddings().weight
        table.copy_(torch.randn(table.shape, generator=generator) * 0.1)
    return model.eval()


def gpt2() -> Any:
    """GPT-2 small, random."""
    torch.manual_seed(0)
    return enlarged(GPT2LMHeadModel(GPT2Config()), 1)


def bart() -> Any:
    """BART base, random."""
    torch.manual_seed(0)
    config = BartConfig(
        d_model=768,
        encoder_layers=6,
        decoder_layers=6,
        encoder_attention_heads=12,
        decoder_attention_heads=12,
        encoder_ffn_dim=3072,
        decoder_ffn_dim=3072,
    )
    return enlarged(BartForConditionalGeneration(config), 1)


def jobs_of(contexts: int, size: tuple[int, int, int], lead: tuple[int, ...], seed: int = 0) -> list[Job]:
    """`contexts` x candidates, random tokens: context | eos candidate, predicting candidate eos."""
    candidates, context, target = size
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(contexts):
        prefix = (*(int(x) for x in rng.integers(5, VOCABULARY - 300, context)), *(() if lead else (EOS,)))
        for _ in range(candidates):
            made.append(Job(prefix, (*(int(x) for x in rng.integers(5, VOCABULARY - 300, target)), 2), lead))
    return made


def pair_at_a_time(model: Any, jobs: Sequence[Job]) -> list[float]:
    """The restated loop."""
    means = []
    with torch.no_grad():
        for job in jobs:
            target = torch.tensor(job.target, device=model.device)
            tail = [*job.lead, *job.target[:-1]]
            if job.lead:
                given = {"input_ids": [list(job.prefix)], "decoder_input_ids": [tail]}
            else:
                given = {"input_ids": [[*job.prefix, *tail]]}
            tensors = {name: torch.tensor(ids, device=model.device) for name, ids in given.items()}
            logits = model(**tensors).logits.float()
            log_probs = torch.nn.functional.log_softmax(logits, dim=-1)[0, -len(target) :]
            means.append(float(log_probs.gather(1, target[:, None]).mean()))
    return means


def check_probabilities(model: Any, ids: Sequence[int]) -> list[tuple[int, float]]:
    """The restated GLTR loop: softmax, a full sort of every step, the rank looked up token by token, top-40 lists."""
    tensor = torch.tensor([list(ids)], device=model.device)
    probabilities = torch.softmax(model(tensor).logits[0, :-1], dim=-1)
    ordered = torch.argsort(probabilities, dim=-1, descending=True).cpu().numpy()
    values = probabilities.detach().cpu().numpy()
    following = np.asarray(ids[1:])
    ranks = [int(np.where(ordered[i] == following[i])[0][0]) for i in range(len(following))]
    for i in range(len(following)):
        [(int(token), float(values[i, token])) for token in ordered[i, :40]]
    return [(rank, float(values[i, following[i]])) for i, rank in enumerate(ranks)]


def means(engine: Engine, jobs: Sequence[Job]) -> list[float]:
    """Ours: mean log p of each job."""
    return [float(one.mean()) for one in engine.run(jobs, reading_log_prob(Decoding()))]


def wait(device: str) -> None:
    """Until the device has done what it was given."""
    if device == "cuda":
        torch.cuda.synchronize()


def seconds(work: Callable[[], object], device: str) -> float:
    """Seconds for one call."""
    # On one thread, the processor time: other programs on the machine do not count.
    clock = time.process_time if device == "cpu" and torch.get_num_threads() == 1 else time.perf_counter
    wait(device)
    start = clock()
    work()
    wait(device)
    return clock() - start


def peak(dtype: Any, device: str) -> float:
    """Matrix products a second here, in FLOP/s: the best of a few at a model's shape."""
    n = 8192 if device == "cuda" else 2048
    a, b = (torch.randn(n, n, device=device, dtype=dtype) for _ in range(2))
    return 2 * n**3 / min(seconds(lambda: a @ b, device) for _ in range(6))


def interleaved(works: dict[str, Callable[[], object]], rounds: int, device: str) -> dict[str, list[float]]:
    """Times of each, in turns; one round before is not counted."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds + 1):
        for name, work in works.items():
            took = seconds(work, device)
            if turn:
                times[name].append(took)
    return times


def told(times: dict[str, list[float]], tokens: int) -> None:
    """One line a variant: seconds, pair tokens a second, ratio to the first."""
    first = next(iter(times.values()))
    for name, values in times.items():
        ratios = [slow / fast for slow, fast in zip(first, values, strict=True)]
        spread = f"({min(ratios):.1f}-{max(ratios):.1f})"
        median = statistics.median(values)
        print(f"  {name:<34}{median:9.4f} s {tokens / median:10.0f} tok/s {statistics.median(ratios):6.1f}x {spread}")


def compare(title: str, model: Any, *, two_sided: bool, rounds: int, device: str, contexts: int | None) -> None:
    """Both sizes of one model."""
    budget = 16384 if device == "cuda" else 1024
    shape = Shape(budget=budget, room=min(budget, 1024), width=768, two_sided=two_sided)
    lead = (2,) if two_sided else ()
    model = model.to(device)
    ours = fuse_gelu(copy.deepcopy(model))
    exact = engine_for(ours, shape, lead=lead)
    fast = engine_for(copy.deepcopy(ours).to(torch.bfloat16), shape, lead=lead)
    print(f"{title}: shares rows in float32 {exact.shape.share}, in bfloat16 {fast.shape.share}")
    for size in SIZES:
        many = contexts or (64 if device == "cuda" else (2 if size[0] == 4 else 3))
        jobs = jobs_of(many, size, lead)
        tokens = many * size[0] * (size[1] + size[2])
        first, second = pair_at_a_time(model, jobs), means(exact, jobs)
        worst = max(abs(a - b) for a, b in zip(first, second, strict=True))
        print(f" {many} x {size[0]} candidates x ({size[1]} + {size[2]}); largest difference {worst:.1e}")
        choices = all_against_first(jobs, size[0])
        works = {
            "one pair at a time, float32": lambda jobs=jobs: pair_at_a_time(model, jobs),
            "ours, float32": lambda jobs=jobs: means(exact, jobs),
            "ours, bfloat16": lambda jobs=jobs: means(fast, jobs),
            "ours, bf16 screen, float32 recheck": lambda jobs=jobs, choices=choices: screened_jobs(
                fast, exact, jobs, choices
            ),
        }
        told(interleaved(works, rounds, device), tokens)
        found = screened_jobs(fast, exact, jobs, choices)
        right = [second[a] > second[b] for a, b in choices]
        wrong = sum(a != b for a, b in zip(found.above, right, strict=True))
        print(
            f"  screening: {found.rechecked} of {len(choices)} choices rechecked, {found.changed} changed by it, "
            f"{wrong} differ from float32 throughout"
        )
        if not two_sided:
            shares(exact, jobs, many, size, device)


def all_against_first(jobs: Sequence[Job], candidates: int) -> list[Choice]:
    """The tests of an NND set: the context's first candidate against each of the others."""
    return [(start, start + i) for start in range(0, len(jobs), candidates) for i in range(1, candidates)]


def screened_jobs(fast: Engine, exact: Engine, jobs: Sequence[Job], choices: Sequence[Choice]) -> Any:
    """Screening over tokens rather than texts."""
    return screen_choices(
        choices,
        lambda numbers: means(fast, [jobs[number] for number in numbers]),
        lambda numbers: means(exact, [jobs[number] for number in numbers]),
        count=len(jobs),
    )


def shares(engine: Engine, jobs: Sequence[Job], contexts: int, size: tuple[int, int, int], device: str) -> None:
    """The share of the measured matrix rate that the float32 forward reaches (body and head, attention not counted)."""
    candidates, context, target = size
    body = contexts * (context + 1 + candidates * target) * BODY_GPT2
    head = contexts * candidates * (target + 1) * 2 * 768 * VOCABULARY
    took = min(seconds(lambda: means(engine, jobs), device) for _ in range(3))
    rate, most = (body + head) / took, peak(torch.float32, device)
    print(f"  float32: {rate / 1e9:.0f} GFLOP/s, {100 * rate / most:.0f} % of the measured {most / 1e9:.0f}")


def gltr(model: Any, *, rounds: int, device: str, length: int = 512) -> None:
    """Statistics per token of one text."""
    model = model.to(device)
    shape = Shape(budget=1024, room=1024, width=768)
    engine = engine_for(fuse_gelu(copy.deepcopy(model)), shape, lead=())
    rng = np.random.default_rng(0)
    ids = [int(x) for x in rng.integers(5, VOCABULARY - 300, length + 1)]
    job = [Job(tuple(ids[:1]), tuple(ids[1:]))]
    reading = reading_statistics(Decoding())
    ours = engine.run(job, reading)[0]
    ranks = [rank for rank, _ in check_probabilities(model, ids)]
    same = np.mean(ours[:, 2] - 1 == np.asarray(ranks))
    print(f"GLTR statistics, {length} tokens; ranks equal {100 * same:.1f} %")
    bare = Reading(lambda logits, targets: torch.cat([block[:, :1] for _, block in logits.blocks()], dim=1), keeps=True)
    works = {
        "restated loop": lambda: check_probabilities(model, ids),
        "ours, with all statistics": lambda: engine.run(job, reading),
        "ours, the forward pass alone": lambda: engine.run(job, bare),
    }
    times = interleaved(works, rounds, device)
    told(times, length)
    whole, forward = (statistics.median(times[name]) for name in list(works)[1:])
    print(f"  statistics: {100 * (whole - forward) / forward:.1f} % of the forward pass")


def main() -> None:
    """Time and print."""
    given = argparse.ArgumentParser()
    given.add_argument("--rounds", type=int, default=5)
    given.add_argument("--device", default="cpu")
    given.add_argument("--threads", type=int, help="of the processor (default: all)")
    given.add_argument("--contexts", type=int, help="how many at a time (default: 2 or 3, on a GPU 64)")
    given.add_argument("--jobs", default="causal,seq2seq,gltr")
    options = given.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    print(f"torch {torch.__version__}, {options.device}, {torch.get_num_threads()} threads, {options.rounds} rounds")
    how = {"rounds": options.rounds, "device": options.device, "contexts": options.contexts}
    if "causal" in options.jobs:
        compare("GPT-2 small", gpt2(), two_sided=False, **how)
    if "seq2seq" in options.jobs:
        compare("BART base", bart(), two_sided=True, **how)
    if "gltr" in options.jobs:
        gltr(gpt2(), rounds=options.rounds, device=options.device)


if __name__ == "__main__":
    main()
