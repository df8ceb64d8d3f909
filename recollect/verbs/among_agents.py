"""The rows of verbs by which agents tell each other what they found."""

from __future__ import annotations

from recollect.verbs.verb import Offer, ToolArgument, Verb

AMONG_AGENTS: tuple[Verb, ...] = (
    Verb(
        name="publish",
        group="Agents",
        writes=True,
        positional=("id_or_text",),
        piped="id_or_text",
        summary="Tell other agents what this one found: each that subscribed to such gets a record of its own, once.",
        example='mem.publish("The queue needs closing", topics=["queue"], agent_id="rex", project="atlas")',
        tool=Offer(
            name="publish_memory",
            set="agents",
            text="Tell other agents what you found. Each that asked for such topics is told once.",
            takes=(
                ToolArgument("content", "What to tell, or the id of a memory.", of="id_or_text", needed=True),
                ToolArgument("topics", "Words by which agents choose."),
                ToolArgument("visibility", "project, squad or targets.", silent=True),
                ToolArgument("targets", "Names of agents, with visibility targets.", silent=True),
                ToolArgument("importance", "0 to 1."),
            ),
        ),
    ),
    Verb(
        name="subscribe",
        group="Agents",
        writes=True,
        positional=("topics",),
        summary="Have this agent told what others publish. The answer can be iterated, awaited or polled.",
        example='mem.subscribe(["queue"], agent_id="bo", project="atlas").poll()',
        tool=Offer(
            name="subscribe_topics",
            set="agents",
            text="Be told what other agents publish; it becomes your memory, and stands in the inbox.",
            idempotent=True,
            takes=(
                ToolArgument("topics", "Only these."),
                ToolArgument("importance_min", "Only what weighs as much, 0 to 1.", silent=True),
                ToolArgument("sources", "Only from these agents.", silent=True),
            ),
        ),
    ),
    Verb(
        name="promote",
        group="Agents",
        writes=True,
        positional=("to",),
        summary="Hand on what is strong of what agents know: to all of their project, their squad, or everybody.",
        example='mem.promote(project="atlas", dry_run=True)',
    ),
    Verb(
        name="bus_inbox",
        method="bus.inbox",
        group="Agents",
        summary="What arrived for an agent, and conflicts with what it published; the oldest first.",
        example='mem.bus.inbox(agent_id="bo", project="atlas")',
        tool=Offer(
            name="read_inbox",
            set="agents",
            text="What other agents told you, the oldest first.",
            takes=(
                ToolArgument("newer_than", "The number of the last message you read."),
                ToolArgument("limit", "At most so many."),
            ),
        ),
    ),
    Verb(
        name="bus_publications",
        method="bus.publications",
        group="Agents",
        summary="What an agent has told others, or what all have, the newest first, and what became of it.",
        example="mem.bus.publications(limit=5)",
    ),
    Verb(
        name="bus_subscriptions",
        method="bus.subscriptions",
        group="Agents",
        summary="Who is told what: the subscriptions of an agent, or all.",
        example="mem.bus.subscriptions()",
    ),
    Verb(
        name="bus_unsubscribe",
        method="bus.unsubscribe",
        group="Agents",
        writes=True,
        positional=("id",),
        summary="End a subscription; what arrived stays. Whether there was one.",
        example="[mem.bus.unsubscribe(each.id) for each in mem.bus.subscriptions()]",
    ),
    Verb(
        name="bus_withdraw",
        method="bus.withdraw",
        group="Agents",
        writes=True,
        positional=("id",),
        summary="Tell nobody else what was published; for how many that was. What arrived already stays.",
        example="[mem.bus.withdraw(each.publication) for each in mem.bus.inbox()]",
    ),
    Verb(
        name="bus_deliver",
        method="bus.deliver",
        group="Agents",
        writes=True,
        summary="Deliver now what waits, as far as the rates of the subscriptions allow.",
        example="mem.bus.deliver()",
    ),
)
