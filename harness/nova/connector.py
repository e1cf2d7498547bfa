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

"""An os-brick connector that keeps the ledger instead of connecting."""

import contextlib
import threading

from oslo_concurrency import lockutils


class Connector:
    """Stands in for os-brick's iSCSI connector on one host.

    Like os-brick's it does one thing at a time on its host. Connecting what
    is connected already, and disconnecting what is not, succeeds.

    :param host: name of the host
    :param ledger: :class:`harness.nova.ledger.Ledger`
    """

    def __init__(self, host, ledger):
        self._host = host
        self._ledger = ledger
        self._acting = threading.local()
        self._devices = {}

    @contextlib.contextmanager
    def acting_for(self, instance):
        """Say for which instance the calling thread connects.

        :param instance: UUID of the instance
        """
        self._acting.instance = instance
        try:
            yield
        finally:
            self._acting.instance = None

    def device_path(self, volume):
        """Tell the path of a volume's device.

        :param volume: ID of the volume
        :returns: a path that does not contain the volume's ID
        """
        number = self._devices.setdefault(volume, len(self._devices))
        return '/dev/dm-%d' % number

    def connect_volume(self, connection_properties):
        """Connect a volume.

        :param connection_properties: ``data`` of the connection_info
        :returns: what os-brick tells about the device
        """
        volume = connection_properties['volume_id']
        with self._lock():
            self._ledger.connect(self._host, volume, self._acting.instance)
        return {'type': 'block', 'path': self.device_path(volume)}

    def disconnect_volume(self, connection_properties, device_info,
                          force=False, ignore_errors=False):
        """Disconnect a volume.

        :param connection_properties: ``data`` of the connection_info
        :param device_info: not used
        :param force: not used
        :param ignore_errors: not used
        """
        with self._lock():
            self._ledger.disconnect(
                self._host, connection_properties['volume_id'],
                self._acting.instance)

    def _lock(self):
        return lockutils.lock('connect_volume', 'os-brick-')
