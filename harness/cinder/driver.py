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


"""The storage backend: a driver that stops at gates and remembers."""

import collections

from cinder.tests import fake_driver


class LedgerDriver(fake_driver.FakeLoggingVolumeDriver):
    """Cinder's fake LVM driver, whose calls are points of the test's gates.

    It lets volumes be attached more than once. :class:`harness.cinder.base.
    AttachmentsTestCase` sets ``gates`` as soon as the service is there.

    :ivar gates: the test's :class:`harness.gates.Gates`
    :ivar connections: ``{id of the volume: names of the hosts that are
        connected to it}``, a host once for each connection
    """

    gates = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.connections = collections.defaultdict(list)

    def _reach(self, call, volume):
        if self.gates is not None:
            self.gates.reach('driver.' + call, volume=volume['id'])

    def _update_volume_stats(self):
        super()._update_volume_stats()
        for pool in self._stats['pools']:
            pool['multiattach'] = True

    def delete_volume(self, volume):
        self._reach('delete_volume', volume)
        return super().delete_volume(volume)

    def initialize_connection(self, volume, connector):
        self._reach('initialize_connection', volume)
        self.connections[volume['id']].append(connector['host'])
        return super().initialize_connection(volume, connector)

    def terminate_connection(self, volume, connector, **kwargs):
        self._reach('terminate_connection', volume)
        # Drivers have to bear a second call for the same connection.
        if connector['host'] in self.connections[volume['id']]:
            self.connections[volume['id']].remove(connector['host'])
        return super().terminate_connection(volume, connector, **kwargs)

    def remove_export(self, context, volume):
        self._reach('remove_export', volume)
        return super().remove_export(context, volume)
