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

import types

from harness import gates
from harness.nova import connector
from harness.nova import ledger
from harness.nova import points
from tests.unit.harness import base

INFO = {'driver_volume_type': 'iscsi', 'data': {'volume_id': 'v'}}
CONTEXT = object()


class _VolumeDriver:
    """Uses its connector as the iSCSI driver does."""

    def connect_volume(self, connection_info, instance):
        self.connector.connect_volume(connection_info['data'])

    def disconnect_volume(self, connection_info, instance, force=False):
        self.connector.disconnect_volume(connection_info['data'], None)


class _Driver:
    """Has the methods of the libvirt driver that are wrapped."""

    def __init__(self):
        self.volume_driver = _VolumeDriver()

    def _get_volume_driver(self, connection_info):
        return self.volume_driver

    def _should_disconnect_target(self, context, instance, multiattach):
        return multiattach

    def _disconnect_volume(self, context, connection_info, instance, last):
        if self._should_disconnect_target(context, instance, last):
            self.volume_driver.disconnect_volume(connection_info, instance)


class _Manager:
    """Has the methods of the compute manager that are wrapped."""

    def __init__(self):
        self.driver = _Driver()
        self.network_api = types.SimpleNamespace(
            deallocate_for_instance=lambda context, instance: 'deallocated')

    def _do_build_and_run_instance(self, context, instance):
        return 'built'

    def terminate_instance(self, context, instance, bdms):
        raise ValueError()

    def __getattr__(self, name):
        if name not in points.OPERATIONS:
            raise AttributeError(name)
        return lambda context, instance, *args: None


class TestPoints(base.TestCase):

    def setUp(self):
        super().setUp()
        self.gates = self.useFixture(gates.Gates())
        self.ledger = ledger.Ledger()
        self.slow = []
        self.manager = _Manager()
        self.instance = types.SimpleNamespace(uuid='a', vm_state='active')
        points.Points(
            types.SimpleNamespace(host='host', manager=self.manager),
            connector.Connector('host', self.ledger), self.gates, self.ledger,
            self.slow.append)

    def connect(self):
        self.manager.driver.volume_driver.connect_volume(INFO, self.instance)

    def points(self):
        return [event.point for event in self.gates.trace]

    def test_connect(self):
        self.connect()

        where = {'instance': 'a', 'host': 'host', 'volume': 'v'}
        self.assertEqual([('connect', where), ('connected', where)],
                         self.gates.trace)
        self.assertEqual({'a'}, self.ledger.users('host', 'v'))

    def test_failed_connect(self):
        def fail(connection_properties):
            raise ValueError()

        driver = self.manager.driver.volume_driver
        driver.connector.connect_volume = fail

        self.assertRaises(ValueError, self.connect)

        self.assertEqual(['connect'], self.points())

    def test_disconnect(self):
        self.connect()
        self.manager.driver._disconnect_volume(
            CONTEXT, INFO, self.instance, True)

        self.assertEqual(
            ['leave', 'decide', 'decided', 'disconnect', 'disconnected'],
            self.points()[2:])
        self.assertEqual('holds', self.ledger.rest())
        self.assertFalse(self.ledger.is_connected('host', 'v'))

    def test_keep(self):
        self.connect()
        self.manager.driver._disconnect_volume(
            CONTEXT, INFO, self.instance, False)

        self.assertEqual(['leave', 'decide', 'decided'], self.points()[2:])
        self.assertFalse(self.gates.trace[-1].where['disconnect'])
        self.assertEqual('v', self.gates.trace[-1].where['volume'])
        self.assertEqual('leak', self.ledger.rest())

    def test_end(self):
        self.assertEqual('built', self.manager._do_build_and_run_instance(
            CONTEXT, self.instance))

        self.assertEqual(
            [('end', {'instance': 'a', 'host': 'host', 'error': None,
                      'operation': '_do_build_and_run_instance'})],
            self.gates.trace)

    def test_end_with_an_error(self):
        self.assertRaises(ValueError, self.manager.terminate_instance,
                          CONTEXT, instance=self.instance, bdms=[])

        self.assertEqual('ValueError', self.gates.trace[0].where['error'])

    def test_network(self):
        self.assertEqual('deallocated',
                         self.manager.network_api.deallocate_for_instance(
                             CONTEXT, self.instance))

        self.assertEqual(['network.deallocate'], self.points())
        self.assertEqual(['network.deallocate'], self.slow)

    def test_class_is_not_touched(self):
        _Driver()._disconnect_volume(CONTEXT, INFO, self.instance, False)

        self.assertEqual([], self.gates.trace)
