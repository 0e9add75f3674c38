"""What replies may be: of bounded size, not compressed, and nothing after them that could answer
another request.
"""

import contextlib
from dataclasses import dataclass

import httpx2

LARGEST = 64 << 20  # bytes of one reply


async def guard(response: httpx2.Response) -> None:
    """Take no compressed reply (a small one may unpack to gigabytes), and none larger than
    `LARGEST`.
    """
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise httpx2.RemoteProtocolError("the reply is compressed, which was not asked for")
    # JSON is UTF-8; a charset such as hex would be looked up among all of Python's codecs
    response.headers["Content-Type"] = "application/json"
    response.stream = _Limited(response.stream)


@dataclass
class _Limited(httpx2.AsyncByteStream):
    stream: httpx2.AsyncByteStream

    async def __aiter__(self):
        size = 0
        async for part in self.stream:
            size += len(part)
            if size > LARGEST:
                raise httpx2.RemoteProtocolError(f"the reply is larger than {LARGEST >> 20} MiB")
            yield part
        self._close_if_more_came()

    def _close_if_more_came(self) -> None:
        """Bytes behind the end of a reply would be taken for the reply to the next request of the
        connection.
        """
        with contextlib.suppress(AttributeError):  # of other protocols than HTTP/1.1
            # wrapped in the streams of pool and client
            connection = self.stream._stream._httpcore_stream._stream._connection
            if connection._h11_state.trailing_data[0]:
                connection._response_closed = connection.aclose  # instead of keeping it

    async def aclose(self) -> None:
        await self.stream.aclose()
