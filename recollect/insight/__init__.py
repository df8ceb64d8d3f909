"""What a memory can say of itself: figures, faults, reasons, what is about to be lost and what waits for a decision.

Everything here looks and changes nothing, except a cure that was asked for. `health` and `doctor` are the doors for
people who run a store; `explain`, `assess`, `weak` and `review` for those who use it.
"""
