"""Prompts for the common jobs of an agent with a vault."""

from collections.abc import Mapping
from dataclasses import dataclass

from vault.errors import UsageError
from vault.model.access import READING, Need
from vault.serve.dispatch import NotPermitted, permits
from vault.serve.session import Desk


class UnknownPrompt(UsageError):
    """A prompt that is not served, or without what it takes."""

    code = "unknown-prompt"

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"`{name}`: {why}", hint=f"prompts: {', '.join(one.name for one in PROMPTS)}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: its arguments, its text with those in braces, and the tools that it cannot do without."""

    name: str
    title: str
    about: str
    takes: tuple[tuple[str, str], ...]
    text: str
    needs: tuple[Need, ...] = (READING,)


PROMPTS = (
    Prompt(
        "answer_from_knowledge",
        "Answer from knowledge",
        "Answer a question from the vault alone, with citations.",
        (("question", "What is to be answered."),),
        "Answer this from the vault alone: {question}\n\nBegin with `search_knowledge`, read what fits with"
        " `get_knowledge` or `knowledge_list_attributes`, and cite each statement by its path:line@commit. If the vault"
        " does not say it, say so.",
    ),
    Prompt(
        "remember_conversation",
        "Remember a conversation",
        "Write down what a conversation says that is worth knowing.",
        (("conversation", "The text to take it from."),),
        "From the conversation below, write what will still be worth knowing with one call of `knowledge_remember`:"
        " first look with `knowledge_tree` how its entities, aspects and claims are called, and use the same words."
        " Quote the sentence that each statement rests on. Leave out small talk and guesses.\n\n{conversation}",
        (("knowledge_remember",),),
    ),
    Prompt(
        "review_entity",
        "Review an entity",
        "See whether what is known of an entity still holds.",
        (("entity", "An id, name or alias."),),
        "Walk what is known of {entity} with `knowledge_tree`, read each claim with `knowledge_list_attributes` (status"
        " all where it changed), and list what looks outdated, contradictory or without a source. Change nothing.",
    ),
)


def offered(desk: Desk) -> list[Prompt]:
    """The prompts whose tools the caller may use."""
    return [one for one in PROMPTS if permits(desk, one.name, *one.needs)]


def prompt_text(desk: Desk, name: str, given: Mapping[str, str]) -> str:
    """The text of a prompt with its arguments in place. Raises `UnknownPrompt` and `NotPermitted`."""
    prompt = next((one for one in PROMPTS if one.name == name), None)
    if prompt is None:
        raise UnknownPrompt(name, "there is no such prompt")
    if not permits(desk, name, *prompt.needs):
        raise NotPermitted(name, " or ".join(prompt.needs[0]))
    text = prompt.text
    for argument, _ in prompt.takes:
        if not given.get(argument, "").strip():
            raise UnknownPrompt(name, f"it takes `{argument}`")
        text = text.replace(f"{{{argument}}}", given[argument])
    return text
