"""The rows of verbs about what an agent can do: skills, and tools by need."""

from __future__ import annotations

from recollect.verbs.verb import Offer, ToolArgument, Verb

ABOUT_SKILLS: tuple[Verb, ...] = (
    Verb(
        name="skills_teach",
        method="skills.teach",
        group="Agents",
        writes=True,
        positional=("name",),
        summary="Tell a way to do something: its steps, and what it is good for. Told again, it is the next version.",
        example='mem.skills.teach("release", ["run the tests", "tag", "make ship"], task="release Atlas")',
    ),
    Verb(
        name="skills_find",
        method="skills.find",
        group="Agents",
        words=True,
        positional=("task",),
        piped="task",
        summary="Ways to do something that fit a task, those that worked first.",
        example='mem.skills.find("release Atlas")',
        tool=Offer(
            name="find_skills",
            set="turns",
            text="Ways to do something that are known: steps, tools, and how often they worked.",
            takes=(ToolArgument("task", "What is to be done."), ToolArgument("limit", "At most so many.")),
        ),
    ),
    Verb(
        name="skills_done",
        method="skills.done",
        group="Agents",
        writes=True,
        positional=("name",),
        summary="Tell how a skill went: it is counted. With `steps` it is learnt where it is not known.",
        example='mem.skills.done("flow:tickets", success=False, failed_at="choose", steps=["find", "choose"])',
        tool=Offer(
            name="skill_done",
            set="turns",
            text="Tell how a skill went.",
            takes=(
                ToolArgument("name", "Its name."),
                ToolArgument("success", "Whether it worked."),
                ToolArgument("failed_at", "The step where it failed."),
                ToolArgument("steps", "What was done, in this order."),
            ),
        ),
    ),
    Verb(
        name="tools_keep",
        method="tools.keep",
        group="Agents",
        writes=True,
        positional=("tools",),
        summary="Tell which tools an agent has. Told again by its name, a tool is described anew.",
        example='mem.tools.keep([{"name": "send_mail", "description": "Send a mail", "parameters": {}}])',
    ),
    Verb(
        name="tools_find",
        method="tools.find",
        group="Agents",
        words=True,
        positional=("need",),
        piped="need",
        summary="The tools that fit a need, best first. In a session those found lately come along "
        "(`context.tools_ttl_s`).",
        example='mem.tools.find("tell Ben about the release", session_id="s1")',
        tool=Offer(
            name="find_tools",
            set="turns",
            text="The tools you have for a need, with their parameters.",
            takes=(
                ToolArgument("need", "What is to be done."),
                ToolArgument("session_id", "The session."),
                ToolArgument("limit", "At most so many."),
            ),
        ),
    ),
)
