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

from unittest import mock

import ddt

from harness import gates
from tests.unit.harness import base


@ddt.ddt
class TestGates(base.TestCase):

    def setUp(self):
        super().setUp()
        self.gates = self.useFixture(gates.Gates())

    def test_reach_passes_where_nothing_is_held(self):
        self.gates.reach('point', instance='uuid')

        self.assertEqual([('point', {'instance': 'uuid'})], self.gates.trace)

    def test_hold_stops_until_release(self):
        gate = self.gates.hold('point', instance='uuid')
        passed = []

        def run():
            self.gates.reach('point', instance='uuid')
            passed.append(True)

        thread = self.thread(run)
        gate.wait()
        self.assertEqual([], passed)
        gate.release()
        thread.finish()

        self.assertEqual([True], passed)

    @ddt.data(('other', {'instance': 'uuid'}), ('point', {'instance': 'b'}),
              ('point', {}), ('point', {'volume': 'uuid'}))
    @ddt.unpack
    def test_hold_lets_others_pass(self, point, where):
        gate = self.gates.hold('point', instance='uuid')

        self.gates.reach(point, **where)

        self.assertFalse(gate.reached)

    def test_hold_ignores_what_it_does_not_name(self):
        gate = self.gates.hold('point')

        thread = self.thread(
            lambda: self.gates.reach('point', instance='uuid'))
        gate.wait()
        gate.release()
        thread.finish()

    def test_hold_stops_only_the_first_thread(self):
        gate = self.gates.hold('point')
        thread = self.thread(self.gates.reach, 'point')
        gate.wait()

        self.gates.reach('point')

        self.assertEqual(2, self.gates.happened('point'))
        gate.release()
        thread.finish()

    def test_second_gate_stops_second_thread(self):
        first, second = self.gates.hold('point'), self.gates.hold('point')
        threads = [self.thread(self.gates.reach, 'point')]
        first.wait()
        threads.append(self.thread(self.gates.reach, 'point'))
        second.wait()

        self.assertIsNot(first.thread, second.thread)
        first.release()
        second.release()
        for thread in threads:
            thread.finish()

    def test_clean_up_opens_all_gates(self):
        other = gates.Gates()
        other.setUp()
        gate = other.hold('point')
        thread = self.thread(other.reach, 'point')
        gate.wait()

        other.cleanUp()

        thread.finish()

    def test_wait_until_returns_the_value(self):
        self.assertEqual(
            'value', self.gates.wait_until(lambda: 'value', 'a value'))

    def test_wait_until_sees_what_other_threads_announce(self):
        thread = self.thread(self.gates.reach, 'point')

        self.gates.wait_until(
            lambda: self.gates.happened('point'), 'the point')

        thread.finish()

    @mock.patch.object(gates, 'DEADLINE', 0)
    def test_deadline_tells_what_happened(self):
        self.gates.names['uuid'] = 'A'
        self.gates.reach('point', instance='uuid')

        error = self.assertRaises(
            gates.DeadlineReached, self.gates.wait_until, lambda: False,
            'the end of the world')

        self.assertIn('the end of the world did not happen', str(error))
        self.assertIn('point(instance=A)', str(error))

    @mock.patch.object(gates, 'DEADLINE', 0)
    def test_deadline_names_the_gate(self):
        gate = self.gates.hold('point', instance='uuid')

        error = self.assertRaises(gates.DeadlineReached, gate.wait)

        self.assertIn('a thread at point(instance=uuid)', str(error))

    def test_happened_counts_matching_events(self):
        self.gates.reach('point', instance='a')
        self.gates.reach('point', instance='b')
        self.gates.reach('other', instance='a')

        self.assertEqual(2, self.gates.happened('point'))
        self.assertEqual(1, self.gates.happened('point', instance='b'))
        self.assertEqual(0, self.gates.happened('point', instance='c'))

    def test_me_is_one_token_a_thread(self):
        tokens = []
        self.thread(lambda: tokens.append(self.gates.me())).finish()

        self.assertIs(self.gates.me(), self.gates.me())
        self.assertIsNot(self.gates.me(), tokens[0])

    def test_story_is_numbered_and_named(self):
        self.gates.names['uuid'] = 'A'
        self.gates.reach('one', volume='id', instance='uuid')
        self.gates.reach('two')

        self.assertEqual('  1  one(instance=A, volume=id)\n  2  two()',
                         self.gates.story())
