"""What is said around the tables of docs/validity.md."""

from __future__ import annotations

HEAD = """\
# What the numbers and their intervals are worth

Made by `make truth` (`python -m tests.benchmarks.simulation_studies`) from simulated studies of which everything is
known; do not edit by hand. How the rule for HUSE was found: [huse-interval.md](huse-interval.md).

**Target**: what an interval is for, as said in its `target`. The column "target" is its value; "bias" is the mean of
the estimate less the target (0 but for chance where the target is the estimate's own expectation). **± ** is one
Monte-Carlo standard error: at 2,000 studies .5 points at 95 % and .7 at 90 %. **In steps**: where an estimate takes few
values, coverage jumps; the two coverages next to the stated one that cutting its distribution can give. A world in bold
has a coverage off by more than 1.5 points and twice its Monte-Carlo error although a cut could come nearer.
"""

UNFINISHED = """\
**This run was stopped: {missing} pieces of work are missing.** Rows rest on as many studies as they say; `make truth`
goes on from here.
"""

EARLIER = """\
**Earlier code**: {earlier} pieces of work were counted before some of the code that they rest on changed; `make truth`
counts them again.
"""

SECTIONS = {
    "in short": ("In short", ""),
    "huse": (
        "HUSE, HUSE-Q, HUSE-D: both sources rated by the same workers",
        "Target: the estimator's expectation at this number of texts and ratings, over new texts (mean of "
        "4,000 further studies). Not L\\* and not L(phi), which a study of finite size overestimates. 100 "
        "contexts, 20 ratings a text on six labels, raters with biases and noise, where the name does not say "
        "otherwise; 200 half-samples (`evaluate` takes 400). `near 1`, `high`, `middle`, `low`, `near 0` go "
        "through what HUSE can be; `next to no error` has about one error in ten studies. `crossed raters`: the "
        "same 20 rate everything. `HITs interleaved`: both sources in each HIT of 25; `skewed`: some of the 60 "
        "workers take many HITs, most few.",
    ),
    "one source": (
        "HUSE, HUSE-Q, HUSE-D: sources rated by different workers",
        "Target: the same expectation over new texts and other raters. `evaluate_rated` sees who rated what and "
        "adds what other workers would move where the two sources' ratings come from different workers (in more "
        "than 20 % of them). `evaluate` and a table of HJ alone cannot: in `two pools of 20 raters` the interval "
        "over texts holds about 79 % where it says 95.",
    ),
    "unequal": (
        "HUSE, HUSE-Q, HUSE-D: more texts of one source",
        "Target: the estimator's expectation at these numbers of references (first) and model texts, over new texts. "
        "In exact mode a neighbour's vote weighs 1 / size of its source. Compare each target with that of the study "
        "that has the smaller number on both sides, in the next row; HUSE falls as texts are added, so that with 25 "
        "and 75 texts it lies between those with 25 and 25 and with 50 and 50. Unpaired; the same 10 raters rate "
        "everything with 60 references, the same 5 elsewhere. With 10 references, fewer than the 16 neighbours that "
        "vote, results are flagged `few_of_one_source` and a report gives no verdict.",
    ),
    "differences": (
        "Differences between two models on the same contexts and references",
        "Target: the difference of the two expectations at this number of texts and ratings, over new contexts.",
    ),
    "accuracy": (
        "Evaluators' accuracy",
        "Targets: `accuracy`, `accuracy_pooled`, `recall`, `f1`: expected value over new evaluators on these very "
        "items; `accuracy_item`: over new items with these very evaluators; `accuracy_crossed`: over both. 60 "
        "evaluators, 5 judgments each, 50 items where the name does not say otherwise. In `near 1, 12 evaluators` 1.4 "
        "of 60 judgments are expected to be wrong, .7 of those of machine texts: whether three wrong ones (two) are "
        "held decides between 84 and about 95 %. Recall and F1 come in these steps too, blurred by denominators that "
        "vary, so that the last column does not show it.",
    ),
    "hj": (
        "HJ of one text",
        "Target: the expected rating of this text by other raters like these. A text whose ratings are all equal "
        "has no interval (flag `no_variation`) and is not counted.",
    ),
    "alpha": (
        "Krippendorff's alpha",
        "Target: alpha over new items (raters of their own for each item), or over new items and new raters "
        "(crossed and skewed pools, `resampled=both`). 5 ratings an item, 400 resamples.",
    ),
    "nnd": (
        "Near-negative pass rates",
        "Target: the pass rate over new contexts like these. One to six tests a context, correlated .3 within it.",
    ),
    "pairwise": (
        "Bradley-Terry strengths",
        "Target: the same model fitted to 400,000 fresh items and raters. It is not the strengths put in (.6, .2, "
        "-.2, -.6): averaging over items and raters that differ, and ties, pull strengths together. A world is named "
        "by its items x votes on each of an item's six pairs, and, after `of`, by its raters, each of whom judges all "
        "pairs of an item; by the standard deviation that items and raters add to each system; and by the share of "
        "ties, which come at random. Intervals are clustered by item where no number of raters is named (raters not "
        "known), else by item and rater, with Student's t. `log strength`: of the first system; `difference`: of the "
        "first and the second.",
    ),
    "crossed": (
        "Further intervals: raters crossed with items, clustered contexts, unequal sizes",
        "Worlds that no rule was made in: people are strict, fair or kind, texts better or worse by an exponential "
        "amount, contexts lean together. Target: the estimator's expectation over new people and texts (of evaluators: "
        "new evaluators on the same texts), the mean of as many further studies again. `difference` and `mean of the "
        "first source` are of the mixed model, kappa of two coders, the mean of a score and its AUC of automatic "
        "scores, in both of which texts of one context are taken together.",
    ),
    "report": (
        "Intervals of further columns of a report",
        "The same kind of people and texts. `mean of a source`, `superiority` (of the first over the fourth) and "
        "`all rank sets`: two equal sources, one a little worse and two equal ones worse still; a mean is over "
        "new contexts and raters, and the last row counts studies in which all five rank sets hold the true ranks"
        " (its other columns mean nothing). Scores are automatic. A label's share and the win rate are over new "
        "texts with these very raters, of whom some rate few texts and some many. `agreement with people` "
        "compares verdicts with the majority of nine people, `AUC by people` likewise: both are counted over new "
        "texts and new people, but their intervals take these people as given and texts for independent. Shares "
        "of codes are over new people, who wrote one comment each or five. `largest difference of drop-out` is "
        "less the true one of the same two conditions, and holds for all pairs at once, so that it should hold "
        "more often than it says. `tau` has an interval by a normal approximation. `log p alone`: the rule of "
        "HUSE-Q on log p. `300 pairs, 10 raters`: 300 texts take so few different mean ratings that ties make"
        " up the neighbors. The standard error of a *difference* of HUSE-Q is then about a tenth smaller than its"
        " spread, with which the planner reckons; how often that interval holds is not counted yet.",
    ),
    "kinds": (
        "Task types: several criteria, 0 to 100, documents, preferences, error labels",
        "Two systems on the same contexts, the second worse by .4 of felt quality (preferences: the first better by "
        ".3). Texts per task and raters per text are those of the templates. A task goes to people drawn from a pool, "
        "so that all its texts have the same raters. Target: the estimator's expectation, the mean of 4,000 further "
        "studies, over new contexts and new people. `these 20 people`: the same in every study, for the intervals "
        "with these raters; only the contexts and who of them does which task differ. Texts and people are those of "
        "the section above: no rule was made in these worlds but one, that with these raters tasks count as drawn, "
        "chosen in these worlds with other seeds. Before, the mean, the win rate and the share had intervals with "
        "these raters only, which took texts for independent: they held .915 to .93 where they said .95. Criteria of "
        "a text share its quality and its rater's mood; people use more or less of the slider from 0 to 100; parts of "
        "a document share its quality and its rater's mood, and whole documents are dealt.",
    ),
    "verdicts": (
        "Verdicts: which source is better",
        "First table: share, in per cent, of studies with a wrong verdict. `A, equal` and `B, equal`: better for "
        "one of two equals, owed at most 2.5 each. `B, slightly worse`: better for B, which lies .1 of felt "
        "quality below A, owed at most 2.5. `equivalent, at the margin`: called equivalent where the true "
        "difference is the margin, owed at most 5. `equivalent, equal` is right: how often two equals are shown "
        "to be equivalent. Second table: share of studies that find B worse by .44 points of a scale from 0 to 5, "
        "with 100 contexts and 10 ratings a text; the spread of the texts was set so that a paired t-test finds "
        "it in about 88 %. Third: coverage of the difference of ratings over new contexts and new raters, B below "
        "A by .8. Worlds (`tests/benchmarks/simulation_studies/decision_worlds.py`): labels 0 to 5 with uneven "
        "cuts where nothing else is said; `pool`, raters drawn for each text; `tasks`, HITs of 20 texts, "
        "some workers take many; `90 and 30`, unequal numbers of texts and ratings; `two crowds`, other people "
        "rate A than B; `slope`, standard deviation of how far a rater prefers a source. The rule (the larger of "
        "two-way and one-way variances, degrees of freedom by the smaller crowd, raters by their shares) was chosen in "
        "nine other worlds (`DEVELOPED_IN`, there). In one of them the two-way variance alone covered 93.7 % where it "
        "said 95; another was in this table first, called one of two equals better in 3.5 % of studies, and showed "
        "that raters' unequal shares have to count. A new world of its kind replaced it.",
    ),
    "skewed": (
        "Skewed texts and heavy-tailed raters",
        "Worlds written after every rule above was chosen, and not changed since "
        "(`tests/benchmarks/simulation_studies/skewed_worlds.py`): most texts of a source are alike and some far "
        "worse, some contexts are hard for every source, raters' severity is Laplace, their slips are Student's t "
        "with 3 degrees of freedom and larger for some raters than for others, half of all labels are the highest, "
        "and log p has a long tail. HUSE: 20 ratings of each text, by raters drawn for it, where nothing else is said; "
        "with 60 references the same 10 raters rate everything, with 25 the same 5. Verdicts and differences of "
        "ratings as in the section above.",
    ),
    "demo": (
        "The lines that the demo prints",
        "The demo's world at the demo's size, without its pages; HUSE is in the last section of this page. Targets are "
        "the truths that `make demo` prints. Accuracy (`accuracy_crossed`): of new evaluators on new texts, exact but "
        "for the 100,000 texts of each source that it is averaged over. `less none`: the same after a training less "
        "without; its interval is for new evaluators. Pass rates: the mean over 2,000 such studies of other texts and "
        "another crowd, so that the crowd's errors are in it (tests made from true quality are passed about one point "
        "more often). frac(p): the mean over 100,000 other headlines of each side.",
    ),
    "planned": (
        "Studies of a planned size: how often they decide",
        "Each was planned for a power of 80 %; `promised` is the power of the planned size by the planner, which plans "
        "whole contexts. Ratings: studies of the mean planned size, made by drawing every rater, task, text and "
        "context; found: the verdict is better for the one that is. From a pilot: each study has a pilot and a plan of "
        "its own. `HUSE below 1`: the interval lies below 1. `HUSE-Q`: the interval of the difference of two "
        "generators lies above 0. These are planned from 5 (HUSE-Q: 15) earlier studies each, with 60 studies to each "
        "plan. How "
        "far HUSE lies below 1 is what the earlier study saw: one of 600 pairs that saw it too low or too high makes "
        "its plan too small or too large. The error counts the studies; that the worse generator is set by the mean of "
        "200 studies adds about 3 points to a plan's share of HUSE-Q.",
    ),
    "size": (
        "Size of the permutation test",
        "Share, in per cent, of studies without any difference in which p is at most .05; asked: not above 5 but "
        "for chance, not below 3.5.",
    ),
    "bias": (
        "Expectation by number of texts and ratings",
        "Means of 2,000 studies in the world `middle`, k = 16 (Monte-Carlo error at most .004). HUSE and HUSE-Q "
        "fall as texts and ratings are added; values at different numbers are not comparable.",
    ),
    "listed": (
        "Intervals of a report without a row above",
        "`tests/metrics/report/test_printed_intervals.py` holds this list against what the sections, comparisons and "
        "tables of a report can print.",
    ),
}
