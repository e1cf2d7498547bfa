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

import ddt

from harness.nova import ledger
from tests.unit.harness import base


@ddt.ddt
class TestLedger(base.TestCase):

    def setUp(self):
        super().setUp()
        self.guests = set()
        self.ledger = ledger.Ledger(lambda host, volume: self.guests,
                                    {'a': 'A', 'b': 'B', 'v': 'volume'}.get)

    def test_last_user_disconnects(self):
        self.ledger.connect('host', 'v', 'a')
        self.assertTrue(self.ledger.is_connected('host', 'v'))
        self.ledger.leave('host', 'v', 'a')
        self.ledger.disconnect('host', 'v', 'a')

        self.assertFalse(self.ledger.is_connected('host', 'v'))
        self.assertEqual('holds', self.ledger.rest())
        self.assertEqual('', self.ledger.story())

    def test_connected_and_used_is_no_leak(self):
        self.ledger.connect('host', 'v', 'a')

        self.assertEqual({'a'}, self.ledger.users('host', 'v'))
        self.assertEqual('holds', self.ledger.rest())

    def test_nobody_disconnects(self):
        for instance in 'ab':
            self.ledger.connect('host', 'v', instance)
        for instance in 'ab':
            self.ledger.leave('host', 'v', instance)

        self.assertEqual('leak', self.ledger.rest())
        self.assertEqual('leak: volume is still connected on host, and nobody '
                         'uses it', self.ledger.story())

    def test_struck_out_because_it_is_not_there(self):
        self.ledger.connect('host', 'v', 'a')
        self.ledger.connect('there', 'v', 'a')
        self.ledger.strike_out(
            lambda host, instance: (host, instance) == ('there', 'a'))

        self.assertEqual(set(), self.ledger.users('host', 'v'))
        self.assertEqual({'a'}, self.ledger.users('there', 'v'))
        self.assertEqual('leak', self.ledger.rest())

    def test_disconnected_under_another_user(self):
        for instance in 'ab':
            self.ledger.connect('host', 'v', instance)
        self.ledger.leave('host', 'v', 'a')
        self.ledger.disconnect('host', 'v', 'a')

        self.assertEqual('yank', self.ledger.rest())
        self.assertEqual(
            'yank: A disconnected volume from host, which B needs\n'
            'yank: volume is not connected on host, and B uses it',
            self.ledger.story())

    def test_yank_is_remembered_when_all_have_left(self):
        for instance in 'ab':
            self.ledger.connect('host', 'v', instance)
        self.ledger.leave('host', 'v', 'a')
        self.ledger.disconnect('host', 'v', 'a')
        self.ledger.leave('host', 'v', 'b')

        self.assertEqual('yank', self.ledger.rest())

    @ddt.data('a', 'b')
    def test_disconnected_under_a_running_guest(self, guest):
        self.ledger.connect('host', 'v', 'a')
        self.ledger.leave('host', 'v', 'a')
        self.guests = {guest}
        self.ledger.disconnect('host', 'v', 'a')
        self.guests = set()

        self.assertEqual('yank', self.ledger.rest())

    def test_running_guest_is_a_user(self):
        self.ledger.connect('host', 'v', 'a')
        self.ledger.leave('host', 'v', 'a')
        self.guests = {'b'}

        self.assertEqual({'b'}, self.ledger.users('host', 'v'))
        self.assertEqual('holds', self.ledger.rest())

    def test_hosts_and_volumes_are_apart(self):
        self.ledger.connect('host', 'v', 'a')
        self.ledger.connect('other', 'v', 'b')
        self.ledger.connect('host', 'w', 'b')
        self.ledger.leave('host', 'v', 'a')
        self.ledger.disconnect('host', 'v', 'a')

        self.assertEqual('holds', self.ledger.rest())
        self.assertTrue(self.ledger.is_connected('other', 'v'))
        self.assertTrue(self.ledger.is_connected('host', 'w'))

    def test_user_comes_back(self):
        self.ledger.connect('host', 'v', 'a')
        self.ledger.leave('host', 'v', 'a')
        self.ledger.disconnect('host', 'v', 'a')
        self.ledger.connect('host', 'v', 'a')

        self.assertEqual('holds', self.ledger.rest())

    def test_leaving_and_disconnecting_what_is_not_there(self):
        self.ledger.leave('host', 'v', 'a')
        self.ledger.disconnect('host', 'v', 'a')
        self.assertEqual(set(), self.ledger.users('host', 'v'))

        self.assertEqual('holds', self.ledger.rest())

    def test_other_violations_are_outcomes_too(self):
        self.ledger.violate('lock', 'words')

        self.assertEqual('lock', self.ledger.rest())

    def test_devices_go_before_locks(self):
        self.ledger.violate('lock', 'words')
        self.ledger.violate('yank', 'words')

        self.assertEqual('yank', self.ledger.rest())
