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

from oslo_concurrency import lockutils

from harness import gates
from harness import locks
from harness.nova import operation
from tests.unit.harness import base


class TestOperation(base.TestCase):

    def setUp(self):
        super().setUp()
        self.gates = self.useFixture(gates.Gates())
        self.locks = self.useFixture(locks.LockWatch(self.gates))
        self.end(instance='a')
        self.operation = operation.Operation(
            self.gates, self.locks, 'detach_volume', 'a')

    def end(self, name='detach_volume', instance='a', error=None):
        self.gates.reach('end', operation=name, instance=instance,
                         error=error)

    def test_an_earlier_end_is_not_this_one(self):
        self.assertFalse(self.operation.is_over)
        self.assertIsNone(self.operation.error)

    def test_ends_of_others_are_not_this_one(self):
        self.end(name='attach_volume')
        self.end(instance='b')

        self.assertFalse(self.operation.is_over)

    def test_success(self):
        self.end()

        self.assertTrue(self.operation.is_over)
        self.assertIsNone(self.operation.wait())

    def test_failure(self):
        thread = self.thread(lambda: self.end(error='VolumeNotFound'))

        self.assertEqual('VolumeNotFound', self.operation.wait())
        thread.finish()

    def test_wait_behind_ends_with_the_operation(self):
        gate = self.gates.hold('point')
        thread = self.thread(self.gates.reach, 'point')
        gate.wait()
        self.end(error='VolumeNotFound')

        self.assertEqual('VolumeNotFound', self.operation.wait(behind=gate))
        gate.release()
        thread.finish()

    def test_wait_behind_ends_with_a_waiter(self):
        def hold():
            with lockutils.lock('lock'):
                self.gates.reach('point')

        def wait():
            with lockutils.lock('lock'):
                self.end()

        gate = self.gates.hold('point')
        threads = [self.thread(hold)]
        gate.wait()
        threads.append(self.thread(wait))

        self.assertIsNone(self.operation.wait(behind=gate))

        self.assertFalse(self.operation.is_over)
        gate.release()
        for thread in threads:
            thread.finish()
        self.assertTrue(self.operation.is_over)

    def test_name(self):
        self.gates.names['a'] = 'A'

        self.assertEqual('detach_volume of A', str(self.operation))

    def test_end_before_the_count(self):
        # The ID of a new server is known only when its boot may be over.
        self.end(instance='new')

        self.assertTrue(operation.Operation(
            self.gates, self.locks, 'detach_volume', 'new', before=0).is_over)
