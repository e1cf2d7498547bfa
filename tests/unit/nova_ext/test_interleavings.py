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

"""Interleavings of threads that share one volume, byte code by byte code.

frontrun runs the threads one at a time and switches between them at what
they share, with two preemptions at most, depth first; :data:`RUNS`
bounds how many orders are tried. Without the lock one of the first breaks.

While it explores it puts its own semaphores in the place of threading's, so
that it sees who waits: oslo.concurrency makes the semaphore of a lock when
somebody asks for it, but keeps it for as long as a thread has it. Therefore
each run begins with an empty container of semaphores.

What is switched in is the module and the little Nova that it stands on here;
oslo.concurrency's own code is taken as it is.
"""

import contextlib

import fixtures
import frontrun
from oslo_concurrency import lockutils
import testtools

from harness.nova import ledger
from tests.unit.nova_ext import compute
from tests.unit.nova_ext import in_memory

#: How many orders are tried of one scene. Two threads that leave have 12.
RUNS = 40


class Scene:
    """Instances on one host, some with the volume ``v``.

    :param users: UUIDs of those that have it
    :param others: UUIDs of those that have not
    :param locked: whether HostConnections has its lock
    """

    def __init__(self, users, others='', locked=True):
        self.nova = in_memory.Nova()
        self.ledger = ledger.Ledger(
            lambda host, volume: self.host.libvirt.having(volume))
        self.host = compute.Compute(
            self.nova, 'here', self.ledger, in_memory.load(self.nova))
        if not locked:
            self.host.connections._lock = (
                lambda volume_id: contextlib.nullcontext())
        for uuid in users:
            self.host.boot(uuid, 'v')
        for uuid in others:
            self.host.boot(uuid)

    @property
    def holds(self):
        """Whether nothing was yanked, and nothing is left."""
        return self.ledger.rest() == 'holds'


def attach(uuid):
    return lambda scene: scene.host.attach(uuid, 'v')


def detach(uuid):
    return lambda scene: scene.host.detach(uuid, 'v')


class TestInterleavings(testtools.TestCase):

    def setUp(self):
        super().setUp()
        # What its command line would set. Files and sockets do not matter.
        self.useFixture(fixtures.EnvironmentVariable('FRONTRUN_ACTIVE', '1'))

    def explore(self, workers, *users, **scene):
        def setup():
            lockutils._semaphores = lockutils.Semaphores()
            return Scene(*users, **scene)

        self.useFixture(fixtures.MonkeyPatch(
            'oslo_concurrency.lockutils._semaphores', None))
        found = frontrun.explore(setup, workers, lambda scene: scene.holds,
                                 detect_io=False, max_executions=RUNS)
        # One run would mean that nothing was seen to be shared.
        self.assertGreater(found.num_explored, 1)
        return found

    def assertHolds(self, *args):
        found = self.explore(*args)
        self.assertTrue(found.property_holds, found.explanation)

    def assertBreaks(self, *args):
        found = self.explore(*args, locked=False)
        self.assertFalse(found.property_holds,
                         'without the lock nothing breaks either')

    def test_both_leave(self):
        self.assertHolds([detach('A'), detach('B')], 'AB')

    def test_last_leaves_while_another_connects(self):
        self.assertHolds([detach('A'), attach('B')], 'A', 'B')

    def test_all_three_leave(self):
        self.assertHolds([detach('A'), detach('B'), detach('C')], 'ABC')

    def test_two_leave_while_another_connects(self):
        self.assertHolds([detach('A'), detach('B'), attach('C')], 'AB', 'C')

    def test_one_leaves_while_two_connect(self):
        self.assertHolds([detach('A'), attach('B'), attach('C')], 'A', 'BC')

    def test_last_leaves_while_another_connects_without_lock(self):
        self.assertBreaks([detach('A'), attach('B')], 'A', 'B')

    def test_two_leave_while_another_connects_without_lock(self):
        self.assertBreaks([detach('A'), detach('B'), attach('C')], 'AB', 'C')
