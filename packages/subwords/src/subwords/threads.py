"""How many threads learning and encoding may use, and work that is shared out among them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Worker = TypeVar("Worker")
Block = TypeVar("Block")
Result = TypeVar("Result")

_THREADS: ContextVar[int] = ContextVar("threads", default=1)


def threads() -> int:
    """Return how many threads may be used here: 1 unless `use` says otherwise."""
    return _THREADS.get()


@contextmanager
def use(number: int) -> Iterator[None]:
    """Let what is done inside use so many threads. No result depends on their number."""
    token = _THREADS.set(max(1, number))
    try:
        yield
    finally:
        _THREADS.reset(token)


def shared_out(
    work: Callable[[Worker, Block], Result], workers: Sequence[Worker], blocks: Iterable[Block]
) -> Iterator[Result]:
    """Yield work(worker, block) for each block, in their order. A worker has one block at a time."""
    if len(workers) == 1:
        for block in blocks:
            yield work(workers[0], block)
        return
    from concurrent.futures import ThreadPoolExecutor
    from queue import SimpleQueue

    free: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def run(block: Block) -> Result:
        worker = free.get()
        try:
            return work(worker, block)
        finally:
            free.put(worker)

    pending: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(len(workers)) as pool:
        for block in blocks:
            if len(pending) > 2 * len(workers):  # what waits stays small
                yield pending.popleft().result()
            pending.append(pool.submit(run, block))
        while pending:
            yield pending.popleft().result()
