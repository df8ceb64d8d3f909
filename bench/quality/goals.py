"""What we want to reach on each set (development halves), and what is already behind us."""

from __future__ import annotations

# set -> measure -> at least
GOALS: dict[str, dict[str, float]] = {
    "locomo": {"R@10": 0.82, "R@5": 0.73, "nDCG@10": 0.65, "sessions R@10": 0.97, "AUROC": 0.85},
    "realtalk": {"R@10": 0.60},
    "beam100k": {"R@10": 0.64, "newer first": 0.90, "AUROC": 0.75},
    "beam500k": {"R@10": 0.56, "newer first": 0.90, "AUROC": 0.75},
    "timeqa": {"R@10": 0.89, "AUROC": 0.75},
    "prefeval": {"R@10": 0.42},
    "multihop": {"R@10": 0.85},
    "cranfield": {},
}
# measure -> figure -> at least
FIGURE_GOALS: dict[str, dict[str, float]] = {
    "datetime": {"dates and date-times": 0.80, "ranges": 0.75},
    "affect": {"overall": 0.60, "tweets": 0.85, "sign right": 0.85},
    "trec": {"right": 0.80},
    "entities": {"found and resolved F1, first sample": 0.90, "found and resolved F1, second sample": 0.90},
    "personal": {
        "numbers F1, left out": 0.95,
        "addresses F1, left out": 0.80,
        "persons F1, left out": 0.80,
        "turns not sensitive, locomo": 0.95,
        "secrets found whole": 0.95,
        **{f"no secret seen, {name}": 0.995 for name in ("locomo", "realtalk", "beam100k", "beam500k", "coding")},
    },
    "code": {
        f"{what}, {side}, {name}": goal
        for name in ("httpx", "rich", "flask")
        for what, side, goal in (
            ("imports", "precision", 0.995),
            ("imports", "recall", 0.995),
            ("calls", "precision", 0.95),
            ("calls", "recall", 0.80),
        )
    },
    "code_typescript": {
        f"{what}, {side}, {name}": goal
        for name in ("rxjs", "zod", "viem", "effect")
        for what, side, goal in (
            ("imports", "precision", 0.99),
            ("imports", "recall", 0.99),
            ("calls", "precision", 0.93),
            ("calls", "recall", 0.75),
        )
    },
    "pairs": {
        **{f"pairs right, {name}": 0.80 for name in ("garak", "recognizers")},
        **{f"one of five right, {name}": 0.42 for name in ("garak", "recognizers")},
    },
    "agents": {f"warnings that are apt, {name}": 0.80 for name in ("own", "garak", "flask", "httpx", "rich")},
    "planted": {
        **{f"right records a session, {name}": 3.0 for name in ("own", "garak", "recognizers")},
        **{f"right, {name}": 0.90 for name in ("own", "garak", "recognizers")},
        **{f"sessions without made-up records, {name}": 0.8 for name in ("own", "garak", "recognizers")},
    },
    "injection": {
        "found, jailbreaks": 0.95,
        "found, CyberSecEval": 0.80,
        "found, PIGuard": 0.80,
        "found, deepset": 0.60,
        "not blocked, NotInject": 0.96,
        "not blocked, other harmless texts": 0.98,
        **{f"not blocked, {name}": 0.995 for name in ("locomo", "realtalk", "beam100k", "beam500k", "weeks")},
    },
    "duplicates": {"precision": 0.99},
    "ingest": {"turns/s, locomo": 2_000, "MB/s of Markdown": 1.0, "MB/s of Python": 1.0},
    "truth": {"current truth": 0.95, "not wrongly retired": 0.99, "without duplicates": 0.98},
    "fading": {"replayed: less lost in 90 days": 0.25, "felt: longer until archived": 0.40},
    # Two thousand tokens of ours should hold what four thousand of the best naive way do.
    "context": {"locomo at 2000": 0.817, "realtalk at 2000": 0.650, "beam100k at 2000": 0.531},
    "gist": {"gist at 1/50": 0.70},
    "anticipation": {"hits within sessions, locomo": 0.70},
    "topic": {"boundaries, locomo": 0.80, "boundaries, locomo, no embedder": 0.80},
    "history": {
        "ratio, locomo": 4.0,
        "ratio, realtalk": 4.0,
        "ratio, beam100k": 4.0,
        "kept, coding at 2K": 0.9,
        "words kept, locomo at 2K": 0.65,
        "words kept, realtalk at 2K": 0.55,
        "words kept, beam100k at 2K": 0.50,
        "messages/s, new": 67_000,
    },
    "reasoning": {"R@5, multihop": 0.72, "R@10, multihop": 0.85, "R@10, locomo": 0.55},
    "knowing": {"records/s, tree rebuilt": 2_000, "records/s, put into the tree": 5},
}
