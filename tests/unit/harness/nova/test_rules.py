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

from harness.nova import rules
from tests.unit.harness import base

LOCK = 'host-connection-compute1-volume'


@ddt.ddt
class TestRules(base.TestCase):

    @ddt.data([], ['instance-uuid'], ['instance-uuid', 'service-uuid'])
    def test_allowed_outside(self, held):
        self.assertIsNone(rules.waits_on_others('cinder.get', held))
        self.assertIsNone(rules.is_no_leaf('any', held))

    @ddt.data([LOCK], ['instance-uuid', LOCK], [LOCK, 'connect_volume'])
    def test_forbidden_inside(self, held):
        self.assertEqual('cinder.get under the lock %s' % LOCK,
                         rules.waits_on_others('cinder.get', held))
        self.assertEqual('lock any acquired under the lock %s' % LOCK,
                         rules.is_no_leaf('any', held))

    def test_second_host_connection_inside(self):
        self.assertIsNotNone(
            rules.is_no_leaf('host-connection-compute1-other', [LOCK]))

    def test_os_brick_may_lock_inside(self):
        self.assertIsNone(rules.is_no_leaf('connect_volume', [LOCK]))
