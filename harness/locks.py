#    Licensed under the Apache License, Version 2.0 (the "License"); you may
#    not use this file except in compliance with the License. You may obtain
#    a copy of the License at
#
#         http://www.apache.org/licenses/LICENSE-2.0
#
#    Unless required by applicable law or agreed to in writing, software
#    distributed under the License is distributed on an "AS IS" BASIS, WITHOUT
#    WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the
#    License for the specific language governing permissions and limitations
#    under the License.

"""Who holds which lock of oslo.concurrency, and who waits for it."""

import contextlib
import copy

import fixtures
from oslo_concurrency import lockutils


class LockWatch(fixtures.Fixture):
    """Knows the owners and the waiters of all internal locks.

    A test that stopped a thread inside a critical section can see that
    another one provably waits for it, instead of giving it "some time". The
    locks themselves stay oslo.concurrency's own: only the way to them is
    watched.

    Covers ``lockutils.lock`` and what is built on it (an external lock is
    entered after the internal one of the same name), and the fair locks of
    any ``lockutils.FairLocks``, which some acquire without ``lock``.

    :param gates: the test's :class:`harness.gates.Gates`; changes are
        announced there
    :ivar owners: ``{id of lock: (name, token of the thread)}``
    :ivar waiters: ``{token of the thread: (id of lock, name)}``
    """

    def __init__(self, gates):
        super().__init__()
        self._gates = gates
        self._checks = []
        self._approaches = []

    def _setUp(self):
        self.owners = {}
        self.waiters = {}
        self._held = {}
        internal_lock = lockutils.internal_lock
        get = lockutils.FairLocks.get

        def watched_lock(name, *args, **kwargs):
            # Some names are tuples.
            return _WatchedLock(
                self, str(name), internal_lock(name, *args, **kwargs))

        def watched_get(fair_locks, name):
            return _WatchedFairLock(self, str(name), get(fair_locks, name))

        self.useFixture(fixtures.MonkeyPatch(
            'oslo_concurrency.lockutils.internal_lock', watched_lock))
        self.useFixture(fixtures.MonkeyPatch(
            'oslo_concurrency.lockutils.FairLocks.get', watched_get))

    def check(self, function):
        """Have a function called before each acquisition.

        :param function: called with (name of the lock, list of the names of
            locks that the thread holds, outermost first)
        """
        self._checks.append(function)

    @contextlib.contextmanager
    def approached(self, function):
        """Have a function called before each acquisition, in this context.

        :param function: called with (name of the lock, id of lock) by the
            thread that is about to acquire it when the function returns
        """
        self._approaches.append(function)
        try:
            yield
        finally:
            self._approaches.remove(function)

    def held(self):
        """Names of the locks that the calling thread holds.

        :returns: list of names, outermost first
        """
        return list(self._held.get(self._gates.me(), ()))

    def waits_behind(self, thread):
        """Names of the locks that a thread owns and another waits for.

        :param thread: token of a thread (``Gate.thread``)
        :returns: list of names; empty if nobody waits for that thread
        """
        with self._gates.changed:
            return [name for lock, name in self.waiters.values()
                    if self.owners.get(lock, (None, None))[1] is thread]

    def enter(self, name, acquire, key):
        """Acquire a lock for the calling thread.

        :param name: name of the lock
        :param acquire: called without arguments; acquires it
        :param key: what identifies the lock
        """
        me = self._gates.me()
        for check in self._checks:
            check(name, self.held())
        for approach in list(self._approaches):
            approach(name, key)
        with self._gates.changed:
            self.waiters[me] = (key, name)
            self._gates.changed.notify_all()
        try:
            acquire()
        finally:
            with self._gates.changed:
                del self.waiters[me]
        with self._gates.changed:
            self.owners[key] = (name, me)
            self._held.setdefault(me, []).append(name)
            self._gates.changed.notify_all()

    def leave(self, name, release, key):
        """Release a lock that the calling thread holds.

        :param name: name of the lock
        :param release: called without arguments; releases it
        :param key: what identifies the lock
        """
        me = self._gates.me()
        with self._gates.changed:
            del self.owners[key]
            self._held[me].remove(name)
            if not self._held[me]:
                del self._held[me]
        release()


class _WatchedLock:
    """An internal lock; some keep one and enter it many times."""

    def __init__(self, watch, name, lock):
        self._watch, self._name, self._lock = watch, name, lock

    def __enter__(self):
        self._watch.enter(self._name, self._lock.__enter__, id(self._lock))
        return self

    def __exit__(self, *exc_info):
        self._watch.leave(
            self._name, lambda: self._lock.__exit__(None, None, None),
            id(self._lock))

    def __deepcopy__(self, memo):
        # Who copies something with a lock in it gets another lock.
        return _WatchedLock(self._watch, self._name,
                            copy.deepcopy(self._lock, memo))


class _WatchedFairLock:
    """A fair lock of which only the writer's side is watched.

    Fair locks are readers-writer locks without readers.
    """

    def __init__(self, watch, name, lock):
        self._watch, self._name, self._lock = watch, name, lock

    @contextlib.contextmanager
    def write_lock(self):
        self.acquire_write_lock()
        try:
            yield self
        finally:
            self.release_write_lock()

    def acquire_write_lock(self):
        self._watch.enter(self._name, self._acquire, id(self._lock))

    def release_write_lock(self):
        self._watch.leave(self._name, self._release, id(self._lock))

    def _acquire(self):
        # Older fasteners know the context manager only.
        context = self._lock.write_lock()
        context.__enter__()
        # Others may wait for the same lock: now it is ours.
        self._context = context

    def _release(self):
        self._context.__exit__(None, None, None)

    def __getattr__(self, name):
        return getattr(self._lock, name)
