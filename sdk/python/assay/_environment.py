"""Everything that comes from outside of the call: variables, git, the command line."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import Dict, NamedTuple, Optional

from ._client import Client, Waiting
from ._errors import AssayError, RequestFailure, no_assay, quoted, sentence_of

DEFAULT_URL = "http://127.0.0.1:4400"


class Server(NamedTuple):
    """A server that answered, with the key that it took."""

    client: Client
    console_url: str
    waiting: Waiting


def variable(name: str) -> Optional[str]:
    return os.environ.get(name) or None


def find_server(url: Optional[str], api_key: Optional[str], patience_ms: int) -> Server:
    """Looks for the server, once and without patience: a wrong key will not be right later."""
    console_url = _base_of(url or variable("ASSAY_URL") or DEFAULT_URL)
    key = (api_key or variable("ASSAY_API_KEY") or "").strip()
    if not key:
        raise AssayError(
            "There is no key: set ASSAY_API_KEY to one (in the console: Settings, API keys; "
            "npm start keeps the first one in .assay/admin-key)."
        )
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise AssayError("ASSAY_API_KEY is no key: it has characters that no key has.")
    api_url = f"{console_url}/v2"
    try:
        me = Client(api_url, key, 0).request("GET", "/me")
        if not isinstance(me, dict) or "organization" not in me:
            raise AssayError(no_assay(console_url))
    except RequestFailure as error:
        if error.code == "NOT_FOUND":
            raise AssayError(no_assay(console_url)) from None
        raise AssayError(sentence_of(error, console_url) or str(error)) from None
    waiting = Waiting()
    return Server(Client(api_url, key, patience_ms / 1000, waiting.note), console_url, waiting)


def _base_of(url: str) -> str:
    """The address without the version: what people copy has it, or a slash at its end."""
    if not re.match(r"https?://[^/?#\s]+", url):
        raise AssayError(
            f"ASSAY_URL is no address of a server: {quoted(url)}; one looks like {DEFAULT_URL}."
        )
    return re.sub(r"/*((/api)?/v2)?/*$", "", re.sub(r"[?#].*$", "", url))


def git_labels() -> Dict[str, str]:
    """The commit and branch of the folder in which the script runs; none outside of a checkout."""
    commit = _git("rev-parse", "HEAD")
    branch = _git("symbolic-ref", "--short", "-q", "HEAD") or _pipeline_branch()
    return {
        **({"commit": commit} if commit else {}),
        **({"branch": branch[:256]} if branch else {}),
    }


def _pipeline_branch() -> Optional[str]:
    """The branch as a pipeline of GitHub or GitLab names it: both check out a commit, on no branch."""
    names = ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME")
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def _git(*words: str) -> Optional[str]:
    try:
        done = subprocess.run(
            ["git", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=5
        )
    except (OSError, subprocess.SubprocessError):
        return None
    text = done.stdout.decode("utf-8", "replace").strip()
    return text if done.returncode == 0 and text else None


def is_interactive() -> bool:
    """Whether a person types at an interpreter, a notebook's too: it outlives an evaluation."""
    return hasattr(sys, "ps1")


def command_line() -> str:
    """This script's command line, for a shell."""
    words = getattr(sys, "orig_argv", None) or ["python3", *sys.argv]
    return " ".join(shlex.quote(word) for word in ["python3", *words[1:]])
