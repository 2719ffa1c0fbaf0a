# SPDX-License-Identifier: Apache-2.0
"""JSON whose numbers keep the text in which they were written: 1.50 is not 1.5, and 1e2 is not 100."""

from __future__ import annotations

import json
import re


class Number(str):
    """A JSON number, by its text."""

    def __repr__(self) -> str:
        return f"Number({str(self)})"


class _Encoder(json.JSONEncoder):
    """Marks numbers on the way out, so that `write` can take their quotes away."""

    def iterencode(self, value, _one_shot=False):  # noqa: ANN001, ANN202 (the signature of the standard library)
        return super().iterencode(_mark(value), _one_shot)


_MARK = "\ue000number:"
_MARKED = re.compile(r'"(?:\ue000|\\ue000)number:([^"]*)"')


def _mark(value: object) -> object:
    if isinstance(value, Number):
        return _MARK + str(value)
    if isinstance(value, dict):
        return {key: _mark(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_mark(member) for member in value]
    return value


def write(document: object, *, ascii_only: bool = True, indent: int | None = 4) -> str:
    return _MARKED.sub(r"\1", json.dumps(document, cls=_Encoder, ensure_ascii=ascii_only, indent=indent))


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return made


def read(text: str | bytes) -> object:
    return json.loads(text, parse_int=Number, parse_float=Number, object_pairs_hook=_without_duplicates)
