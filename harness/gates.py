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

"""Stop threads at named points, and let them go when it is right to.

Code under test does not know about gates. Fixtures that stand in for the
outside world (Cinder, os-brick, libvirt) or that wrap a real function call
:meth:`Gates.reach` with the name of the point and what the call is about;
nothing happens there unless a test holds that point.

Nothing here sleeps or polls. Everything that happens is announced on one
condition variable, and a test waits for the state it wants. The deadline on
such a wait is no part of the schedule: reaching it fails the test.
"""

import collections
import contextlib
import threading
import time

import fixtures

#: Seconds after which a wait fails the test.
DEADLINE = 60

Event = collections.namedtuple('Event', 'point where')


class DeadlineReached(Exception):
    """A state that a test waited for did not come.

    :param what: what was waited for, in words
    :param trace: the events so far, as text
    """

    def __init__(self, what, trace):
        super().__init__('%s did not happen within %d s. What did:\n%s' % (
            what, DEADLINE, trace))


class Gate:
    """A point that stops the first thread which reaches it.

    Made by :meth:`Gates.hold`.

    :ivar point: name of the point
    :ivar thread: token of the thread that stands here or stood here (see
        :meth:`Gates.me`), None before one came
    :ivar open: whether threads pass
    """

    def __init__(self, gates, point, where):
        self.point = point
        self.thread = None
        self.open = False
        self._gates = gates
        self._where = where

    def matches(self, event):
        """Whether an event is one that this gate stops.

        :param event: an :class:`Event`
        :returns: True for the same point where everything that the gate
            names is equal
        """
        return event.point == self.point and all(
            key in event.where and event.where[key] == value
            for key, value in self._where.items())

    @property
    def reached(self):
        """Whether a thread stands at this gate, or has passed it."""
        return self.thread is not None

    def wait(self):
        """Wait until a thread stands at this gate.

        :returns: this gate
        :raises DeadlineReached: if none comes
        """
        self._gates.wait_until(
            lambda: self.reached, 'a thread at %s' % self)
        return self

    def release(self):
        """Let the thread that stands here, and all later ones, go on."""
        with self._gates.changed:
            self.open = True
            self._gates.changed.notify_all()

    def __str__(self):
        return _text(self._gates, self.point, self._where)


class Gates(fixtures.Fixture):
    """The gates of one test, and the trace of what reached a point.

    Example::

        gates = self.useFixture(Gates())
        first = gates.hold('cinder.attachment_delete', instance=a)
        # ... start the deletion of A in a thread ...
        first.wait()
        # ... A is stopped: its device is gone, its attachment is not ...
        first.release()

    On clean-up all gates open, so that no thread stays behind.

    :ivar changed: condition on which every change is announced; hold it to
        change a state that somebody may wait for
    :ivar trace: the events so far, a list of :class:`Event`
    :ivar names: what the trace calls an id, e.g. ``{uuid: 'A'}``
    """

    def _setUp(self):
        self.changed = threading.Condition(threading.RLock())
        self.trace = []
        self.names = {}
        self._gates = []
        self._visits = []
        self._local = threading.local()
        self.addCleanup(self.open_all)

    def me(self):
        """Token of the calling thread.

        A thread's number may be used again after its end and differs between
        eventlet and native threads; this token does neither.

        :returns: an object that is the same on each call in one thread
        """
        if not hasattr(self._local, 'token'):
            self._local.token = object()
        return self._local.token

    def hold(self, point, **where):
        """Stop the first thread that reaches a point.

        :param point: name of the point
        :param where: what the event must be about, e.g. ``instance=uuid``
        :returns: a closed :class:`Gate`
        """
        gate = Gate(self, point, where)
        with self.changed:
            self._gates.append(gate)
        return gate

    def reach(self, point, **where):
        """Say that the calling thread is at a point; stop if it is held.

        :param point: name of the point
        :param where: what the call is about
        """
        event = Event(point, where)
        with self.changed:
            self.trace.append(event)
            gate = next((g for g in self._gates
                         if not g.open and not g.reached and g.matches(event)),
                        None)
            if gate is not None:
                gate.thread = self.me()
            self.changed.notify_all()
        if gate is not None:
            self.wait_until(lambda: gate.open, 'the release of %s' % gate)
        for visit in list(self._visits):
            visit(point, where)

    @contextlib.contextmanager
    def visited(self, function):
        """Have a function called at each point, inside this context.

        :param function: called with (point, where) by the thread that is
            there, after the gates; that thread goes on when it returns
        """
        self._visits.append(function)
        try:
            yield
        finally:
            self._visits.remove(function)

    def wait_until(self, predicate, what):
        """Wait for a state.

        :param predicate: called without arguments each time something was
            announced, with ``changed`` held
        :param what: the state in words, for the error
        :returns: the first true value of the predicate
        :raises DeadlineReached: if it stays false for ``DEADLINE`` seconds
        """
        deadline = time.monotonic() + DEADLINE
        with self.changed:
            while True:
                value = predicate()
                if value:
                    return value
                left = deadline - time.monotonic()
                if left <= 0:
                    raise DeadlineReached(what, self.story())
                self.changed.wait(left)

    def happened(self, point, **where):
        """How often a point was reached.

        :param point: name of the point
        :param where: what the events must be about
        :returns: number of matching events in the trace
        """
        probe = Gate(self, point, where)
        with self.changed:
            return sum(probe.matches(event) for event in self.trace)

    def story(self):
        """The trace as text, one event a line."""
        return '\n'.join(
            '%3d  %s' % (number, _text(self, *event))
            for number, event in enumerate(self.trace, 1))

    def describe(self, point, where):
        """A point in words.

        :param point: name of the point
        :param where: mapping of what it is about
        :returns: e.g. ``disconnect(host=compute1, instance=A)``
        """
        return _text(self, point, where)

    def readable(self, text):
        """Put names in the place of ids.

        :param text: any text
        :returns: the text with what ``names`` calls the ids in it
        """
        for key, name in self.names.items():
            text = text.replace(key, name)
        return text

    def open_all(self):
        """Open every gate."""
        with self.changed:
            for gate in self._gates:
                gate.open = True
            self.changed.notify_all()


def _text(gates, point, where):
    return '%s(%s)' % (point, ', '.join(
        '%s=%s' % (key, gates.names.get(value, value)
                   if isinstance(value, str) else value)
        for key, value in sorted(where.items())))
