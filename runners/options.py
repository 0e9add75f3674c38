"""Fields of pydantic models as options of the command line."""

import inspect
import typing
from collections.abc import Callable
from typing import Annotated, Literal

import typer

from analysis.written import Written, check

KEYWORD = inspect.Parameter.KEYWORD_ONLY


def takes(*names: str, **usual: object) -> Callable:
    """Give a command the fields of its models as options: a parameter that is annotated with a
    `Written` receives one.

    Parameters
    ----------
    *names : str
        The fields that the first model takes, if not all; a name with a minus before it is left
        out.
    **usual
        Other defaults than the fields' own; ``...`` for none, so that the option must be given.
    """

    def decorated(command: Callable) -> Callable:
        signature = inspect.signature(command)
        fields: dict[str, list[str]] = {}  # of each model
        parameters = []
        for parameter in signature.parameters.values():
            model = parameter.annotation
            if not (inspect.isclass(model) and issubclass(model, Written)):
                parameters.append(parameter)
                continue
            chosen = _chosen(model, () if fields else names)
            fields[parameter.name] = chosen
            parameters += [_option(model, name, usual.get(name)) for name in chosen]

        def called(**given):
            for parameter, chosen in fields.items():
                values = {name: given.pop(name) for name in chosen}
                values = {k: v for k, v in values.items() if v not in (None, "", [])}
                given[parameter] = check(values, signature.parameters[parameter].annotation)
            return command(**given)

        parameters.sort(key=lambda one: one.kind)  # options are keywords
        called.__signature__ = signature.replace(parameters=parameters)
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        called.__doc__, called.__name__ = command.__doc__, command.__name__
        return called

    return decorated


def _chosen(model: type[Written], names: tuple[str, ...]) -> list[str]:
    left_out = {name[1:] for name in names if name.startswith("-")}
    wanted = model.model_fields if left_out or not names else names
    return [name for name in model.model_fields if name in wanted and name not in left_out]


def _option(model: type[Written], name: str, usual: object) -> inspect.Parameter:
    field = model.model_fields[name]
    flag = typer.Option("--" + name.replace("_", "-"), help=field.description)
    default = field.get_default(call_default_factory=True) if usual is None else usual
    if default in ({}, [], ""):  # typer shows none then
        default = None
    hint = Annotated[_typed(typing.get_type_hints(model)[name]), flag]
    default = inspect.Parameter.empty if default is ... else default
    return inspect.Parameter(name, KEYWORD, default=default, annotation=hint)


def _typed(hint: object) -> object:
    """The type as typer reads it; what a value may be is checked by the model."""
    parts = [part for part in typing.get_args(hint) if part is not type(None)]
    if typing.get_origin(hint) in (list, dict):
        return list[str] | None
    if typing.get_origin(hint) is Literal or hint is str:
        return str | None
    if type(None) in typing.get_args(hint):
        return _typed(parts[0]) | None
    return hint
