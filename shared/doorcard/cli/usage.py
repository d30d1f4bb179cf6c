"""Runs a command line, and says in one sentence what is wrong with what was typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import typer
from pydantic import ValidationError
from typer.core import TyperCommand
from typer.main import get_command

from doorcard.cli.program import INTERRUPTED, NOT_DONE, OutputLost, say, sentence_of
from doorcard.errors import DoorcardError


def run_app(app: typer.Typer, name: str, typed: str, words: Sequence[str]) -> int:
    """Run the command that some words name, or the help; returns its exit code.

    Args:
        app: the commands.
        name: what a sentence about trouble begins with.
        typed: how the program is called.
        words: what stands behind that.
    """
    _want_text(app)
    try:
        code: object = get_command(app).main(
            args=list(words) or ["--help"], prog_name=typed, standalone_mode=False
        )
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except typer.TyperException as problem:
        say(name, f"{_sentence(problem)} (see '{_path(problem, typed)} --help')")
        return problem.exit_code
    except OutputLost:
        raise
    except OSError as error:
        say(name, sentence_of(error))
        return NOT_DONE
    except DoorcardError as error:
        say(name, str(error))
        return NOT_DONE
    return code if isinstance(code, int) else 0


def plain_words(error: ValidationError) -> str:
    """What a value must be that was refused, in plain words."""
    first = error.errors()[0]
    wanted = _WANTED.get(first["type"])
    if wanted is None:
        return first["msg"].removeprefix("Value error, ").rstrip(".")
    limits: Mapping[str, Any] = first.get("ctx", {})
    return f"{wanted.format(**limits)} is needed, not {first['input']!r:.60}"


_WANTED: Final = {
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number of a sensible size",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_parsing": "true or false",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
    "literal_error": "{expected}",
    "string_unicode": "UTF-8 text",
}
"""By pydantic's name of what is wrong."""


class _TextCommand(TyperCommand):
    """A command whose texts are texts: a path may hold bytes that are none."""

    def invoke(self, ctx: Any) -> Any:
        values: Mapping[str, object] = ctx.params
        for parameter in self.params:
            for value in _each(values.get(parameter.name or "")):
                if isinstance(value, str) and not _is_text(value):
                    message = f"UTF-8 text is needed, not {value!a:.60}"
                    raise typer.BadParameter(message, ctx=ctx, param=cast("Any", parameter))
        return super().invoke(ctx)


def _each(value: object) -> Iterable[object]:
    return cast("Iterable[object]", value) if isinstance(value, list | tuple) else (value,)


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _want_text(app: typer.Typer) -> None:
    for command in app.registered_commands:
        command.cls = _TextCommand
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _want_text(group.typer_instance)


def _sentence(problem: typer.TyperException) -> str:
    cause = problem.__cause__
    if isinstance(problem, typer.BadParameter) and isinstance(cause, ValidationError):
        problem.message = plain_words(cause)
    return problem.format_message()


def _path(problem: typer.TyperException, typed: str) -> str:
    context = getattr(problem, "ctx", None)
    return str(getattr(context, "command_path", typed))
