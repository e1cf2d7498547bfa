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

"""The rules of HostConnections, one test a rule.

A is there in most of them, B shares its volume. The finer points are tested
in Nova's tree, by what the series adds there.
"""

import threading

import testtools

from harness import gates
from harness import locks
from harness.nova import ledger
from tests.unit.nova_ext import compute
from tests.unit.nova_ext import in_memory


class TestCase(testtools.TestCase):

    def setUp(self):
        super().setUp()
        self.nova = in_memory.Nova()
        self.module = in_memory.load(self.nova)
        self.ledger = ledger.Ledger(
            lambda host, volume: self.here.libvirt.having(volume)
            if host == 'here' else ())
        self.here = compute.Compute(
            self.nova, 'here', self.ledger, self.module)

    def assertHolds(self):
        self.assertEqual('holds', self.ledger.rest(), self.ledger.story())

    def migrate_here(self, uuid, status='running'):
        self.nova.instances[uuid] = 'there'
        self.nova.migrations[uuid] = in_memory.Migration(
            uuid, 'there', 'here', status)


class TestWhoUsesIt(TestCase):

    def test_last_user_disconnects(self):
        self.here.boot('A', 'v')
        self.here.detach('A', 'v')
        self.assertHolds()

    def test_sharer_keeps_it(self):
        self.here.boot('A', 'v')
        self.here.boot('B', 'v')
        self.here.detach('A', 'v')
        self.assertHolds()

    def test_two_leave_before_either_mapping_is_gone(self):
        self.here.boot('A', 'v')
        self.here.boot('B', 'v')
        self.here.detach('A', 'v')
        self.here.detach('B', 'v')
        self.assertHolds()

    def test_leaves_twice(self):
        # A second detach, after the first one was only half done.
        self.here.boot('A', 'v')
        self.here.boot('B', 'v')
        self.here.detach('A', 'v')
        self.here.unmap('A', 'v')
        self.here.disconnect('A', 'v')
        self.assertHolds()

    def test_stopped_sharer_keeps_it(self):
        self.here.boot('A', 'v')
        self.here.boot('B', 'v')
        self.here.restart()
        self.here.libvirt.stopped.add('B')
        self.here.detach('A', 'v')
        self.assertHolds()

    def test_leaver_still_has_a_domain(self):
        # It would be counted by mapping and domain, were it not the leaver.
        self.here.boot('A', 'v')
        self.here.restart()
        self.here.libvirt.stopped.add('A')
        self.here.disconnect('A', 'v')
        self.assertHolds()

    def test_users_elsewhere_do_not_matter(self):
        self.here.boot('A', 'v')
        self.nova.instances['B'] = 'there'
        self.nova.map('B', 'v', in_memory.connection_info('v'))
        self.here.detach('A', 'v')
        self.assertHolds()

    def test_leaver_that_is_on_another_host_for_nova(self):
        # Live migration of A to here rolls back, B is here.
        self.here.boot('B', 'v')
        self.here.restart()
        self.here.libvirt.stopped.add('B')
        self.migrate_here('A')
        self.nova.map('A', 'v', in_memory.connection_info('v'))
        self.here.connect('A', 'v')
        self.here.disconnect('A', 'v')
        self.assertHolds()

    def test_mapping_without_a_domain_is_a_plan(self):
        self.here.boot('A', 'v')
        self.nova.instances['B'] = 'here'
        self.nova.map('B', 'v', in_memory.connection_info('v'))
        self.here.detach('A', 'v')
        self.assertHolds()

    def test_mapping_without_connection_info_is_none(self):
        for left_behind in (None, {}):
            self.here.boot('A', 'v')
            self.here.boot('B')
            self.nova.map('B', 'v', left_behind)
            self.here.detach('A', 'v')
            self.assertHolds()
            self.here.unmap('A', 'v')
            self.here.unmap('B', 'v')

    def test_connected_before_the_guest_has_the_disk(self):
        # B is booting: no domain yet, and nothing else tells.
        self.here.boot('A', 'v')
        self.nova.instances['B'] = 'here'
        self.nova.map('B', 'v', in_memory.connection_info('v'))
        self.here.connect('B', 'v')
        self.here.detach('A', 'v')
        self.assertHolds()

    def test_failed_connect_counts_for_nothing(self):
        self.here.boot('A', 'v')
        self.nova.instances['B'] = 'here'
        self.nova.map('B', 'v', in_memory.connection_info('v'))
        self.assertRaises(compute.DeviceError, self.here.connect, 'B', 'v',
                          fails=True)
        self.here.detach('A', 'v')
        self.assertHolds()

    def test_guest_that_nothing_else_knows(self):
        self.here.boot('A', 'v')
        self.here.libvirt.domains['B'] = {'v'}
        self.here.detach('A', 'v')
        self.assertHolds()

    def test_without_a_host_nothing_is_decided(self):
        self.here.boot('A', 'v')
        self.here.connections = self.module.HostConnections(
            self.here.libvirt)
        self.assertRaises(in_memory.InternalError, self.here.detach,
                          'A', 'v')
        self.assertTrue(self.ledger.is_connected('here', 'v'))


class TestReleased(TestCase):

    def test_left_before_a_failure(self):
        self.here.boot('A', 'v')
        self.here.boot('B', 'v')
        # The decision of A fails, its guest has lost the disk all the same.
        self.nova.before = self._fail
        self.assertRaises(compute.DeviceError, self.here.detach, 'A', 'v')
        self.nova.before = lambda name: None
        self.here.detach('B', 'v')
        self.assertHolds()

    def test_next_user_finishes_a_failed_disconnect(self):
        self.here.boot('A', 'v')
        self.assertRaises(compute.DeviceError, self.here.detach, 'A', 'v',
                          fails=True)
        self.assertEqual('leak', self.ledger.rest())
        self.here.boot('B', 'v')
        self.here.detach('B', 'v')
        self.assertFalse(self.ledger.is_connected('here', 'v'))

    def test_connected_again(self):
        # The same mapping: a hard reboot.
        self.here.boot('A', 'v')
        self.here.boot('B', 'v')
        self.here.detach('A', 'v')
        self.here.connect('A', 'v')
        self.here.detach('B', 'v')
        self.assertHolds()

    def test_forgotten_when_it_connects_again(self):
        for uuid in 'ABC':
            self.here.boot(uuid, 'v')
        self.here.detach('A', 'v')
        self.here.connect('A', 'v')
        # While C leaves Nova says that A is elsewhere, so that it does not
        # count as connected any more.
        self.nova.instances['A'] = 'there'
        self.here.detach('C', 'v')
        self.nova.instances['A'] = 'here'
        # No look at the guests may help.
        self.here.libvirt.stopped.add('A')
        self.here.detach('B', 'v')
        self.assertHolds()

    def test_another_mapping_of_the_same_volume(self):
        self.here.boot('A', 'v')
        self.here.boot('B', 'v')
        self.here.detach('A', 'v')
        self.here.unmap('A', 'v')
        # A has a domain and is about to connect again.
        self.nova.map('A', 'v', in_memory.connection_info('v'))
        self.assertFalse(self.here.detach('B', 'v'),
                         'A was not counted, for what it was before')

    def test_oldest_are_forgotten(self):
        self.module.MAX_RELEASED = 2
        for uuid in 'ABC':
            self.here.boot(uuid, 'v')
        for uuid in 'ABC':
            self.here.detach(uuid, 'v')
        self.assertEqual(
            [('v', 'B'), ('v', 'C')],
            sorted(self.here.connections._released))

    def _fail(self, name):
        raise compute.DeviceError(name)


class TestReaping(TestCase):

    def test_deleted_mappings_stay_deleted(self):
        self.here.boot('A', 'v')
        self.here.boot('C', 'v')
        self.here.detach('C', 'v')
        self.here.unmap('C', 'v')
        self.here.restart()
        # C has its domain, and had the volume. A was deleted in the API
        # while nova-compute was down.
        del self.here.libvirt.domains['A']
        self.here.unmap('A', 'v')
        self.here.disconnect('A', 'v', context=in_memory.REAPING)
        self.assertHolds()


class TestArrivals(TestCase):

    def test_connected_and_on_its_way(self):
        self.here.boot('A', 'v')
        self.migrate_here('B')
        self.nova.map('B', 'v', in_memory.connection_info('v'))
        self.here.connect('B', 'v')
        self.here.detach('A', 'v')
        self.assertHolds()

    def test_on_its_way_across_a_restart(self):
        self.here.boot('A', 'v')
        self.migrate_here('B')
        self.nova.map('B', 'v', in_memory.connection_info('v'))
        self.here.connect('B', 'v')
        self.here.restart()
        self.here.detach('A', 'v')
        self.assertHolds()

    def test_arrives_between_the_look_ups(self):
        # B's guest is off, as after an evacuation.
        self.here.boot('A', 'v')
        self.here.boot('C', 'v')
        self.migrate_here('B')
        self.nova.map('B', 'v', in_memory.connection_info('v'))
        self.here.connect('B', 'v')
        self.here.detach('C', 'v')
        self.nova.before = self._arrive
        self.here.detach('A', 'v')
        self.assertHolds()

    def _arrive(self, name):
        # The instance belongs to this host before its migration ends.
        if name == 'migrations':
            self.migrate_here('B', 'done')
            self.nova.instances['B'] = 'here'

    def test_roll_back_that_never_came(self):
        self.here.boot('A', 'v')
        self.migrate_here('B')
        self.nova.map('B', 'v', in_memory.connection_info('v'))
        self.here.connect('B', 'v')
        self.migrate_here('B', 'error')
        self.ledger.leave('here', 'v', 'B')
        self.here.detach('A', 'v')
        self.assertHolds()


class TestOthersAreLeftAlone(TestCase):

    def test_volume_that_is_not_shared(self):
        info = in_memory.connection_info('v', multiattach=False)
        self.assertLockless(info, None)

    def test_driver_that_counts_itself(self):
        self.assertLockless(in_memory.connection_info('v'),
                            in_memory.MountDriver())

    def assertLockless(self, info, driver):
        a = in_memory.Instance('A', 'here')
        with self.here.connections.leaving(info, a, driver):
            # Inside the lock this would wait for ever.
            with self.here.connections.connecting(info, a, driver):
                pass
        self.assertEqual({}, dict(self.here.connections._released))


class TestLock(TestCase):

    def setUp(self):
        super().setUp()
        self.gates = self.useFixture(gates.Gates())
        self.locks = self.useFixture(locks.LockWatch(self.gates))
        self.nova.before = self.gates.reach
        self.here.before = self.gates.reach

    def test_name_has_host_and_volume(self):
        self.assertNotEqual(self._lock_name('here', 'v'),
                            self._lock_name('there', 'v'))
        self.assertNotEqual(self._lock_name('here', 'v'),
                            self._lock_name('here', 'w'))

    def test_other_volumes_do_not_wait(self):
        self.here.boot('A', 'v')
        self.here.boot('B', 'w')
        stopped = self.gates.hold('mappings')
        first = self.start(self.here.detach, 'A', 'v')
        stopped.wait()

        second = self.start(self.here.detach, 'B', 'w')
        self.assertFalse(self.waits(stopped), 'one volume waits for another')

        stopped.release()
        self.join(first, second)
        self.assertHolds()

    def test_connect_waits_for_decision_and_disconnect(self):
        self.here.boot('A', 'v')
        self.here.boot('B')
        stopped = self.gates.hold('disconnect')
        first = self.start(self.here.detach, 'A', 'v')
        stopped.wait()

        second = self.start(self.here.attach, 'B', 'v')
        self.assertTrue(self.waits(stopped), 'they do not wait')

        stopped.release()
        self.join(first, second)
        self.assertHolds()

    def test_decision_waits_for_connect(self):
        self.here.boot('A', 'v')
        self.here.boot('B')
        stopped = self.gates.hold('connect', uuid='B')
        first = self.start(self.here.attach, 'B', 'v')
        stopped.wait()

        second = self.start(self.here.detach, 'A', 'v')
        self.assertTrue(self.waits(stopped), 'they do not wait')

        stopped.release()
        self.join(first, second)
        self.assertHolds()

    def test_decisions_wait_for_each_other(self):
        for uuid in 'ABC':
            self.here.boot(uuid, 'v')
        stopped = self.gates.hold('instances')
        first = self.start(self.here.detach, 'A', 'v')
        stopped.wait()

        second = self.start(self.here.detach, 'B', 'v')
        self.assertTrue(self.waits(stopped), 'they do not wait')

        stopped.release()
        self.join(first, second)
        self.here.detach('C', 'v')
        self.assertHolds()

    def start(self, function, *args):
        thread = threading.Thread(target=self.run_it, args=(function, args),
                                  daemon=True)
        thread.start()
        return thread

    def run_it(self, function, args):
        function(*args)
        self.gates.reach('end', function=function.__name__, args=args)

    def waits(self, stopped):
        """Tell whether the second thread waits for the first, or ends."""
        self.gates.wait_until(
            lambda: self.locks.waits_behind(stopped.thread) or
            self.gates.happened('end'), 'the end or the wait')
        return bool(self.locks.waits_behind(stopped.thread))

    def join(self, *threads):
        for thread in threads:
            thread.join(gates.DEADLINE)

    def _lock_name(self, host, volume):
        names = []
        self.locks.check(lambda name, held: names.append(name))
        compute.Compute(self.nova, host, self.ledger, self.module).connect(
            'A', volume)
        return names[-1]
