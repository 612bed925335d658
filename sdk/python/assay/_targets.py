"""The project and the testset of an evaluation, by their names."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, Optional, Tuple

from ._client import Client
from ._lookup import choose, named_item

Item = Optional[Dict[str, Any]]


def find_targets(client: Client, project_name: str, options: Dict[str, Any]) -> Tuple[Item, Item]:
    """None for what is still to be made; an AssayError for a name that nothing has."""
    project = _find(client.list("/projects"), "project", project_name, options["create_project"])
    items = client.list(f"/projects/{project['id']}/testsets") if project else ()
    may_be_made = options["testcases"] is not None
    return project, _find(items, "testset", options["testset"], may_be_made)


def _find(items: Iterable[Dict[str, Any]], kind: str, wanted: str, may_be_made: bool) -> Item:
    """A name may be that of something new; an id never is."""
    if may_be_made and not _is_id(wanted):
        return named_item(items, kind, wanted)
    return choose(items, kind, wanted)


def _is_id(text: str) -> bool:
    form = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    return re.fullmatch(form, text, re.IGNORECASE) is not None


def create_project(client: Client, name: str) -> Dict[str, Any]:
    return client.create_once("/projects", {"name": name, "description": ""})
