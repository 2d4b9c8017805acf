"""How many threads learning and encoding may use, and work that is shared out among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from subwords.errors import InputError

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
    """Let what is done inside use so many threads. Raises InputError for a number below 1.

    No result depends on it, but for unigram's, whose sums SentencePiece adds up by thread.
    """
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise InputError(f"threads={number!r} cannot be used", allowed="a whole number, at least 1")
    token = _THREADS.set(number)
    try:
        yield
    finally:
        _THREADS.reset(token)


def share_out(
    work: Callable[[Worker, Block], Result],
    workers: Sequence[Worker],
    blocks: Iterable[Block],
    take: Callable[[Result], None],
) -> None:
    """Call take(work(worker, block)) for each block, in their order. A worker has one block at a time.

    A result is taken as soon as it and those before it are there, also while the next block is awaited.
    """
    if len(workers) == 1:
        for block in blocks:
            take(work(workers[0], block))
        return
    from concurrent.futures import ThreadPoolExecutor
    from queue import Queue, SimpleQueue

    free: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def run(block: Block) -> Result:
        worker = free.get()
        try:
            return work(worker, block)
        finally:
            free.put(worker)

    pending: Queue[Future[Result] | None] = Queue(2 * len(workers))  # what waits stays small
    errors: list[BaseException] = []

    def take_all() -> None:
        while (future := pending.get()) is not None:
            try:
                if not errors:
                    take(future.result())
            except BaseException as error:
                errors.append(error)

    with ThreadPoolExecutor(len(workers) + 1) as pool:
        pool.submit(take_all)
        try:
            for block in blocks:
                if errors:
                    break
                pending.put(pool.submit(run, block))
        finally:
            pending.put(None)
    if errors:
        raise errors[0]
