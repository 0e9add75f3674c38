"""A request that brought no answer, and how far the reason reaches."""

from dataclasses import dataclass, field


@dataclass(eq=False)
class Failure(Exception):
    """A request that brought no answer.

    Attributes
    ----------
    kind : str
        One word; the record's `error` begins with it.
    again : bool
        Whether the same request may succeed later.
    wait : float
        Seconds that the server asks to wait.
    scope : {"request", "account", "address"}
        What is wrong: this request, or the server for a while; the key, the balance or a name, so
        that every other request fails as well; the address, at which there is no server.
    answer : dict
        Fields of the record that came nevertheless.
    """

    kind: str
    detail: str
    again: bool = False
    wait: float = 0.0
    scope: str = "request"
    answer: dict = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"
