"""What a coding client calls at each step of an agent: a process that notes the step, reads what is ready, and ends.

Standard library alone, and little of that: an agent waits for every call. The engine reads what is written here.
"""
