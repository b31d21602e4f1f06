"""Everything that memory work can fail with, as one tree.

MemoryError_
├── StoreError            the database refused or is unusable
│   ├── StoreBusy         another process held the lock for longer than the busy timeout
│   ├── StoreTooNew       the file was written by a later version of Ebb
│   └── StoreDamaged      SQLite says the file is malformed
├── NotFound              no such memory (or it is not this user's)
├── Conflict              `rev` moved on, or a later change stands in the way of an undo
├── Unreadable            a file to import is none, and which line says so
├── Refused               not saved, and why (a secret, an instruction, a tombstone)
└── ModelError            a model could not answer; carries what a person is told
    └── BudgetSpent       one person's tokens of the day are used up

The base has an underscore so that it shadows no builtin.
"""

from __future__ import annotations

from typing import Literal

ModelErrorCode = Literal[
    "bad_key",
    "no_credit",
    "rate_limit",
    "unknown_model",
    "no_connection",
    "tls",
    "timeout",
    "cut_off",
    "context_too_long",
    "bad_request",
    "server",
    "unreadable",
    "withheld",
    "no_images",
]


class MemoryError_(Exception):  # noqa: N801 - `MemoryError` is Python's own
    """Base of all errors raised by `memory`."""


class StoreError(MemoryError_):
    """The database refused. The message is one sentence a person can act on."""


class StoreBusy(StoreError):
    """Another process kept the database locked past the busy timeout."""


class StoreTooNew(StoreError):
    """The file has migrations this version does not know."""


class StoreDamaged(StoreError):
    """SQLite reports a malformed file."""


class NotFound(MemoryError_):
    """No such thing among this user's."""


ConflictCode = Literal["changed", "undone", "erased", "forgotten", "replaced", "settled"]


class Conflict(MemoryError_):
    """Something stands in the way.

    `code` says what; `by` names the change set that did it, where one did.
    changed: a later change touched the same thing. undone: it was taken back already, by `by`.
    erased: it was purged. forgotten: it has to be restored first. replaced: another memory has
    taken its place. settled: it is no proposal.
    """

    def __init__(
        self, sentence: str, *, by: str | None = None, code: ConflictCode = "changed"
    ) -> None:
        super().__init__(sentence)
        self.by = by
        self.code = code


class Refused(MemoryError_):
    """Not saved. `code` says why: secret, instruction, tombstone, empty, too_long."""

    def __init__(self, code: str, sentence: str = "") -> None:
        super().__init__(sentence or code)
        self.code = code


class Unreadable(MemoryError_):
    """A file cannot be imported.

    The message is one sentence naming the line; nothing of it was imported.
    """


class ModelError(MemoryError_):
    """A model could not answer.

    Attributes:
        code: what went wrong, one of `ModelErrorCode`.
        retry_after: seconds the provider asked us to wait, where it said so.
        detail: the provider's own short words, for logs; never shown raw to a person.
        partial: text streamed before the failure.
        model, host: who failed, where the raiser knows.
    """

    def __init__(
        self,
        code: ModelErrorCode,
        *,
        detail: str = "",
        retry_after: float | None = None,
        partial: str = "",
        model: str = "",
        host: str = "",
    ) -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code: ModelErrorCode = code
        self.detail = detail
        self.retry_after = retry_after
        self.partial = partial
        self.model = model
        self.host = host

    @property
    def retryable(self) -> bool:
        """Whether trying the same request again later may help."""
        return self.code in {
            "rate_limit",
            "no_connection",
            "timeout",
            "cut_off",
            "server",
            "unreadable",
        }

    @property
    def outage(self) -> bool:
        """Whether the provider or its settings are at fault.

        Any other request would fail as well.
        """
        # what an endpoint sent was no answer; else the answer itself is meant
        if self.code == "unreadable":
            return bool(self.host)
        return self.code not in {"context_too_long", "bad_request", "withheld", "no_images"}


class BudgetSpent(ModelError):
    """The tokens that learning may spend today for one person are used up."""
