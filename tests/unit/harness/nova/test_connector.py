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

from harness.nova import connector
from harness.nova import ledger
from tests.unit.harness import base


class TestConnector(base.TestCase):

    def setUp(self):
        super().setUp()
        self.ledger = ledger.Ledger()
        self.connector = connector.Connector('host', self.ledger)

    def test_connect_is_for_an_instance(self):
        with self.connector.acting_for('a'):
            device = self.connector.connect_volume({'volume_id': 'v'})

        self.assertEqual(self.connector.device_path('v'), device['path'])
        self.assertTrue(self.ledger.is_connected('host', 'v'))
        self.assertEqual({'a'}, self.ledger.users('host', 'v'))

    def test_disconnect(self):
        for instance in 'ab':
            with self.connector.acting_for(instance):
                self.connector.connect_volume({'volume_id': 'v'})
        with self.connector.acting_for('a'):
            self.connector.disconnect_volume({'volume_id': 'v'}, None,
                                             force=True)

        self.assertFalse(self.ledger.is_connected('host', 'v'))
        self.assertIn('a disconnected v from host, which b needs',
                      self.ledger.story())

    def test_device_path_is_one_a_volume(self):
        paths = {self.connector.device_path(volume) for volume in 'vwv'}

        self.assertEqual(2, len(paths))
