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

"""One task goes at a time, from one point to the next."""

import collections
import contextlib

#: Where every task stands at first.
START = 'start'

#: What a task may do next: it goes on from the point ``at``.
Option = collections.namedtuple('Option', 'task at')

#: A step of a schedule: the options there were, and the one that was taken.
Step = collections.namedtuple('Step', 'options chosen')


class Run:
    """What a schedule came to.

    :ivar steps: list of :class:`Step`
    :ivar violations: list of texts, in the order they were seen
    :ivar errors: ``{task: exception}`` of the tasks that raised one
    :ivar is_deadlock: whether the tasks had to be ended, because each waited
        for a lock of another
    """

    def __init__(self):
        self.is_deadlock = False
        self.steps = []
        self.violations = []
        self.errors = {}

    @property
    def preemptions(self):
        """How often a task that could go on had to wait for another."""
        return sum(is_preemption(before.chosen.task, step)
                   for before, step in zip(self.steps, self.steps[1:]))


class Abandoned(BaseException):
    """Ends a thread of a task that will not go on."""


class _Parked:
    def __init__(self, thread, task, at, lock=None):
        self.thread = thread
        self.task = task
        self.at = at
        self.lock = lock
        self.may_go = False


def is_preemption(task, step):
    """Tell whether a step takes the turn from a task that could go on.

    :param task: name of the task that went before, None at first
    :param step: a :class:`Step`
    """
    return task != step.chosen.task and any(
        option.task == task for option in step.options)


class Scheduler:
    """Runs tasks by a schedule.

    A thread of a task stops at each point that it reaches, and before each
    lock. When all threads at work have stopped, one of them is chosen, and
    goes alone to its next stop. A thread whose next step is to take a lock
    that another one holds cannot be chosen; if there is no other either it
    is a deadlock. Threads that belong to no task pass freely.

    Of several threads of one task the one goes whose point comes first in
    the alphabet, so that it is the same one each time.

    Threads wait for one condition variable, ``gates.changed``, and nothing
    sleeps or polls.

    :param gates: :class:`harness.gates.Gates`, reached by the code under test
    :param locks: :class:`harness.locks.LockWatch`
    :param tasks: what starts tasks, see :class:`threads.Threads`
    :param is_point: function of (point, where) that tells whether a task
        stops there. Where a step touches nothing that another task sees, a
        switch before the step and one after it come to the same: one of the
        two points is enough.
    :param is_lock: function of the name of a lock that tells whether a task
        stops before it though it is free
    :param check: function without arguments, called after each step, that
        returns the violations seen so far as a list of texts
    """

    def __init__(self, gates, locks, tasks, is_point=lambda point, where: True,
                 is_lock=lambda name: True, check=list):
        self._gates = gates
        self._locks = locks
        self._tasks = tasks
        self._is_point = is_point
        self._is_lock = is_lock
        self._check = check
        self._parked = []
        self._owners = {}
        self._abandoned = False

    def run(self, operations, choose):
        """Run tasks to their end.

        :param operations: ordered mapping of the task's name to a function
            without arguments
        :param choose: function of (options, name of the task that went last
            or None) that returns the option to take
        :returns: a :class:`Run`
        :raises DeadlineReached: if a task neither stops nor ends
        :raises: what ``choose`` raises; the tasks are ended then
        """
        run = Run()
        names = list(operations)
        current = None
        with self._watching():
            for name, function in operations.items():
                self._tasks.start(name, self._begin(run, name, function))
            try:
                while True:
                    self._gates.wait_until(
                        lambda: self._at_rest(names), 'the next stop of %s' % (
                            current or 'all tasks'))
                    run.violations = list(self._check())
                    if not self._parked:
                        return run
                    options = self._options(names)
                    if not options:
                        run.is_deadlock = True
                        run.violations.append(self._deadlock())
                        return run
                    chosen = choose(options, current)
                    run.steps.append(Step(options, chosen))
                    current = chosen.task
                    self._release(chosen)
            finally:
                self._abandon(names)

    @contextlib.contextmanager
    def _watching(self):
        with self._gates.visited(self._visit), self._locks.approached(
                self._approach):
            yield

    def _begin(self, run, name, function):
        def begin():
            try:
                self._park(name, START)
                function()
            except Abandoned:
                pass
            except Exception as error:
                run.errors[name] = error
        return begin

    def _visit(self, point, where):
        task = self._tasks.current()
        if task is not None and self._is_point(point, where):
            self._park(task, self._gates.describe(point, where))

    def _approach(self, name, key):
        task = self._tasks.current()
        if task is None:
            return
        with self._gates.changed:
            if self._is_lock(name) or not self._is_free(
                    key, self._gates.me()):
                self._park(task, 'lock(%s)' % self._gates.readable(name), key)

    def _park(self, task, at, lock=None):
        me = self._gates.me()
        parked = _Parked(me, task, at, lock)
        with self._gates.changed:
            if self._abandoned:
                raise Abandoned()
            self._owners[me] = task
            self._parked.append(parked)
            self._gates.changed.notify_all()
            while not parked.may_go:
                self._gates.changed.wait()
            if self._abandoned:
                raise Abandoned()

    def _release(self, option):
        with self._gates.changed:
            parked = next(p for p in self._in_order()
                          if Option(p.task, p.at) == option)
            self._parked.remove(parked)
            parked.may_go = True
            self._gates.changed.notify_all()

    def _at_rest(self, names):
        return all(
            self._tasks.active(name) == sum(
                parked.task == name for parked in self._parked)
            for name in names)

    def _options(self, names):
        with self._gates.changed:
            first = collections.OrderedDict()
            for parked in self._in_order():
                if self._is_free(parked.lock, parked.thread):
                    first.setdefault(
                        parked.task, Option(parked.task, parked.at))
        return tuple(first[name] for name in names if name in first)

    def _in_order(self):
        return sorted(self._parked, key=lambda parked: parked.at)

    def _is_free(self, lock, thread):
        return self._locks.owners.get(lock, (None, thread))[1] is thread

    def _deadlock(self):
        words = []
        for parked in self._in_order():
            _, thread = self._locks.owners[parked.lock]
            words.append('%s waits at %s, which %s holds' % (
                parked.task, parked.at,
                self._owners.get(thread, 'no task')))
        return 'deadlock: ' + '; '.join(words)

    def _abandon(self, names):
        with self._gates.changed:
            self._abandoned = True
            for parked in self._parked:
                parked.may_go = True
            del self._parked[:]
            self._gates.changed.notify_all()
        self._gates.wait_until(
            lambda: not any(self._tasks.active(name) for name in names),
            'the end of all tasks')
