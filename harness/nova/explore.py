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

"""The explorer on Nova: pairs of operations on servers that share a volume.

Run by ``series explore`` in the environment of a target.
"""

from harness.nova import compat  # noqa: F401 isort: skip

import collections
import threading

import fixtures
from nova import objects
from nova import utils
from oslo_messaging.rpc import dispatcher

from harness.explorer import scheduler
from harness.nova import messages
from harness.nova import rewind

# A point is left out if what comes before or after it is seen by no other
# operation: those that are left stand before each request to Cinder, each
# write of a mapping, each change of a guest, each connect and disconnect, and
# before the decision reads what it decides by.
_LEFT_OUT = ('leave', 'decided', 'disconnected', 'end', 'guest.shutdown',
             'network.deallocate')


class Tasks(fixtures.Fixture):
    """Knows for which task a thread of Nova works.

    A task has one unit of work for its API request and one for each cast,
    from the sending of the message until it has been handled. The sender of a
    call hands its unit to who handles it, and gets it back with the answer.

    :param gates: :class:`harness.gates.Gates`; the point ``rpc.<method>`` is
        at the beginning of the handling of a message
    """

    def __init__(self, gates):
        super().__init__()
        self._gates = gates

    def _setUp(self):
        self._local = threading.local()
        self._active = collections.Counter()
        module = 'oslo_messaging._drivers.impl_fake.FakeDriver'
        fake = __import__(module.rsplit('.', 1)[0], fromlist=['FakeDriver'])
        send = fake.FakeDriver._send
        dispatch = dispatcher.RPCDispatcher.dispatch

        def watched_send(driver, target, ctxt, message, wait_for_reply=None,
                         *args, **kwargs):
            if ('method' in message and self.current() and
                    not target.fanout):
                message = dict(message, task=self.current())
                if not wait_for_reply:
                    self._count(self.current(), 1)
            return send(driver, target, ctxt, message, wait_for_reply, *args,
                        **kwargs)

        def watched_dispatch(receiver, incoming):
            name = incoming.message.pop('task', None)
            if name is None:
                return dispatch(receiver, incoming)
            return self._work(name, not incoming._reply_q, self._handle,
                              dispatch, receiver, incoming)

        self.useFixture(fixtures.MonkeyPatch(
            '%s._send' % module, watched_send))
        self.useFixture(fixtures.MonkeyPatch(
            'oslo_messaging.rpc.dispatcher.RPCDispatcher.dispatch',
            watched_dispatch))
        for name, first in (('spawn', 0), ('spawn_n', 0), ('spawn_on', 1)):
            self._patch_spawn(name, first)

    def start(self, name, function):
        """Start a task; see :class:`harness.explorer.threads.Threads`."""
        self._count(name, 1)
        threading.Thread(target=self._work, args=(name, True, function),
                         daemon=True).start()

    def current(self):
        """Name of the task that the calling thread works for, or None."""
        return getattr(self._local, 'name', None)

    def active(self, name):
        """How many threads are at work for a task."""
        return self._active[name]

    def _patch_spawn(self, name, first):
        original = getattr(utils, name, None)
        if original is None:
            # Not in this release.
            return

        def spawn(*args, **kwargs):
            task = self.current()
            if task is None:
                return original(*args, **kwargs)
            self._count(task, 1)
            # One of these may use another.
            self._local.name = None
            try:
                return original(*args[:first], self._work, task, True,
                                *args[first:], **kwargs)
            finally:
                self._local.name = task

        self.useFixture(fixtures.MonkeyPatch('nova.utils.%s' % name, spawn))

    def _work(self, name, owns, function, *args, **kwargs):
        before = self.current()
        self._local.name = name
        try:
            return function(*args, **kwargs)
        finally:
            self._local.name = before
            if owns:
                self._count(name, -1)

    def _handle(self, dispatch, receiver, incoming):
        self._gates.reach('rpc.%s' % incoming.message.get('method'))
        return dispatch(receiver, incoming)

    def _count(self, name, change):
        with self._gates.changed:
            self._active[name] += change
            self._gates.changed.notify_all()


class MappingPoints(fixtures.Fixture):
    """The points ``bdm.create``, ``bdm.save`` and ``bdm.destroy``.

    :param gates: :class:`harness.gates.Gates`
    """

    def __init__(self, gates):
        super().__init__()
        self._gates = gates

    def _setUp(self):
        for name in ('create', 'save', 'destroy'):
            self._patch(name, getattr(objects.BlockDeviceMapping, name))

    def _patch(self, name, original):
        def method(bdm, *args, **kwargs):
            if bdm.is_volume:
                self._gates.reach('bdm.%s' % name,
                                  instance=bdm.instance_uuid)
            return original(bdm, *args, **kwargs)

        self.useFixture(fixtures.MonkeyPatch(
            'nova.objects.BlockDeviceMapping.%s' % name, method))


class ExploredMixin:
    """For a test case that explores, before its other base class.

    :ivar databases: :class:`harness.nova.rewind.Databases`
    """

    def setUp(self):
        self.databases = self.useFixture(rewind.Databases())
        super().setUp()


class Explored(fixtures.Fixture):
    """Runs operations on the servers of a test by any schedule.

    :param test: :class:`harness.nova.shared_volume.SharedVolumeTest` with
        :class:`ExploredMixin`, set up
    :param operations: list of
        :class:`harness.nova.repertoire.Operation`
    :param shared_targets: of the volume: True, False or None
    :param sharers: names of servers that have the volume and do nothing
    """

    def __init__(self, test, operations, shared_targets=False, sharers=()):
        super().__init__()
        self._test = test
        self._operations = operations
        self._shared_targets = shared_targets
        self._sharers = sharers
        self._servers = {}
        self._world = None

    def _setUp(self):
        gates = self._test.gates
        self.useFixture(messages.PromptMessages())
        self._tasks = self.useFixture(Tasks(gates))
        self.useFixture(MappingPoints(gates))
        # Who moves goes where the others are. Detaching asks for the name of
        # this host, of which there are two in this process.
        self._others = self._test.HOST
        if any(operation.kind.hosts > 1 for operation in self._operations):
            self._others = self._test.DESTINATION
        self._test.flags(host=self._others)
        self.useFixture(rewind.Alive())
        # All that was started is over; not all of it reached nova-compute.
        self.addCleanup(self._test._operations.clear)

    def run(self, choose):
        """Run the operations by a schedule, in the same world each time.

        :param choose: chooser, see :mod:`harness.explorer.schedules`
        :returns: the :class:`harness.explorer.scheduler.Run`
        """
        self._begin_again()
        functions = collections.OrderedDict(
            (str(operation), self._function(operation))
            for operation in self._operations)
        done = scheduler.Scheduler(
            self._test.gates, self._test.locks, self._tasks, self._is_point,
            self._is_lock, self._check).run(functions, choose)
        if not done.is_deadlock:
            self._forget_the_gone()
            self._test.ledger.rest()
            done.violations = self._check()
        return done

    def _begin_again(self):
        if self._world is None:
            self._volume = self._test.volume(self._shared_targets)
            # Of two operations on one server the first says what it has.
            has_volume = {operation.server: operation.kind.has_volume
                          for operation in reversed(self._operations)}
            has_volume.update((name, True) for name in self._sharers)
            moving = {operation.server for operation in self._operations
                      if operation.kind.hosts > 1}
            self._servers = {
                name: self._test.server(
                    name, self._volume if has_volume[name] else None,
                    self._test.HOST if name in moving else self._others)
                for name in sorted(has_volume)}
            self._world = rewind.World(self._test, self._test.databases)
        self._world.put_back()

    def _forget_the_gone(self):
        # Who has not left, but whose domain is gone or has lost the disk,
        # will never leave: nothing keeps the connection for it.
        for host in self._test.computes:
            having = self._test._guests.defined_with(
                host, self._test._connectors[host].device_path(self._volume))
            for uuid in self._servers.values():
                if uuid not in having:
                    self._test.ledger.leave(host, self._volume, uuid)

    def _function(self, operation):
        server = self._servers[operation.server]
        return lambda: operation.kind.start(self._test, server, self._volume)

    def _is_point(self, point, where):
        if point.startswith('rpc.'):
            return not point.startswith('rpc.object_')
        return point not in _LEFT_OUT

    def _is_lock(self, name):
        return not name.endswith('-events') and not name.startswith(
            'refresh_cache') and any(uuid in name
                                     for uuid in self._test.gates.names)

    def _check(self):
        return ['%s: %s' % violation
                for violation in self._test.ledger.violations]
