"""The one error of the package, and the sentences that it carries."""

from __future__ import annotations

import json
import sys
import unicodedata
from typing import Optional


class AssayError(Exception):
    """Why an evaluation has no good end, in a sentence that says what to do.

    A script in which nobody catches it ends with this sentence alone, and with `exit_code`: 1 where
    the gate found the system worse, else 2. `evaluation` is the result that the gate refused.
    """

    def __init__(self, message: str, evaluation=None):
        super().__init__(message)
        self.evaluation = evaluation
        self.exit_code = 1 if evaluation is not None and evaluation.exit_code == 1 else 2


class RequestFailure(Exception):
    """A request that was refused, or not answered for as long as it was tried.

    `status` is None where nothing answered, `code` where something else than Assay did.
    """

    def __init__(self, request: str, reason: str, status: Optional[int], code: Optional[str]):
        super().__init__(f"{request}: {reason}")
        self.reason = reason
        self.status = status
        self.code = code


def sentence_of(error: BaseException, url: str) -> Optional[str]:
    """The error as a sentence for users; None for an error that is not ours."""
    if isinstance(error, AssayError):
        return str(error)
    if not isinstance(error, RequestFailure):
        return None
    if error.status is None:
        return (
            f"Assay is not reached at {url} ({error.reason}). "
            "Is it running, and is ASSAY_URL its address?"
        )
    if error.code is None:
        return no_assay(url)
    if error.code == "UNAUTHORIZED":
        return (
            f"The key is not accepted by {url}: set ASSAY_API_KEY to a key of this server "
            "(in the console: Settings, API keys)."
        )
    return f"Assay answered {error.reason}"


def no_assay(url: str) -> str:
    return (
        f"What answers at {url} is not Assay: set ASSAY_URL to its address, "
        "such as http://127.0.0.1:4400."
    )


def printable(text: str) -> str:
    """Replaces the characters that would steer a terminal."""
    hidden = ("Cc", "Cf", "Zl", "Zp", "Cs")
    return "".join("\ufffd" if unicodedata.category(each) in hidden else each for each in text)


def well_formed(text: str) -> str:
    """Without halves of surrogate pairs, which are no characters."""
    return text.encode("utf-8", "replace").decode("utf-8")


def quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def install_hook() -> None:
    """Has scripts end with the sentence of an uncaught AssayError, and not with a traceback."""
    previous = sys.excepthook
    if getattr(previous, "_is_assay", False):
        return

    def hook(kind, error, traceback):
        if not isinstance(error, AssayError):
            previous(kind, error, traceback)
            return
        print(printable(str(error)), file=sys.stderr)
        raise SystemExit(error.exit_code)

    hook._is_assay = True
    sys.excepthook = hook
