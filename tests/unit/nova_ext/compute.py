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

"""A nova-compute that does with HostConnections what the driver does."""

import json

from tests.unit.nova_ext import in_memory


class DeviceError(Exception):
    """os-brick could not connect or disconnect."""


class Compute:
    """One host: its domains, its connections, and what os-brick would do.

    :param nova: :class:`in_memory.Nova`
    :param name: name of the host
    :param ledger: :class:`harness.nova.ledger.Ledger`, told the truth
    :param module: the ``host_connections`` to use
    :ivar before: function called with ``connect`` or ``disconnect`` and the
        instance's UUID, where os-brick would begin
    """

    def __init__(self, nova, name, ledger, module):
        self.nova = nova
        self.name = name
        self.ledger = ledger
        self.module = module
        self.before = lambda point, uuid: None
        self.libvirt = in_memory.LibvirtHost()
        self.restart()

    def restart(self):
        """Forget all that the process had in memory."""
        self.connections = self.module.HostConnections(self.libvirt)
        self.connections.init_host(self.name)

    def connect(self, uuid, volume, fails=False):
        """Do what ``_connect_volume`` does.

        :param uuid: UUID of the instance
        :param volume: ID of the volume
        :param fails: whether os-brick fails
        """
        with self.connections.connecting(
                in_memory.connection_info(volume), self.instance(uuid),
                None):
            self.before('connect', uuid=uuid)
            if fails:
                raise DeviceError('connect')
            self.ledger.connect(self.name, volume, uuid)

    def disconnect(self, uuid, volume, fails=False,
                   context=in_memory.ADMIN):
        """Do what ``_disconnect_volume`` does.

        :param uuid: UUID of the instance
        :param volume: ID of the volume
        :param fails: whether os-brick fails, if it is asked
        :param context: the caller's
        :returns: whether os-brick was asked to disconnect
        """
        instance = self.instance(uuid, context)
        self.ledger.leave(self.name, volume, uuid)
        with self.connections.leaving(
                in_memory.connection_info(volume), instance, None):
            if not self.connections.is_last_user(
                    volume, instance, in_memory.device_path(volume)):
                return False
            self.before('disconnect', uuid=uuid)
            if fails:
                raise DeviceError('disconnect')
            self.ledger.disconnect(self.name, volume, uuid)
            return True

    def instance(self, uuid, context=in_memory.ADMIN):
        """The instance as the database has it.

        :param uuid: its UUID
        :param context: the context that it was read with
        :returns: :class:`in_memory.Instance`
        """
        return in_memory.Instance(uuid, self.nova.instances.get(uuid),
                                  context)

    # Whole operations.

    def boot(self, uuid, *volumes):
        """Start an instance here that has some volumes."""
        self.nova.instances[uuid] = self.name
        for volume in volumes:
            self.nova.map(uuid, volume, in_memory.connection_info(volume))
            self.connect(uuid, volume)
        self.libvirt.domains[uuid] = set(volumes)

    def attach(self, uuid, volume):
        """Attach a volume to a running instance."""
        mapping = self.nova.map(uuid, volume)
        self.connect(uuid, volume)
        self.libvirt.domains[uuid].add(volume)
        # As in Nova, only now, while a boot saves it before it connects.
        mapping.connection_info = json.dumps(
            in_memory.connection_info(volume))

    def detach(self, uuid, volume, **how):
        """Detach a volume from a running instance, but for its mapping.

        :returns: see :meth:`disconnect`
        """
        self.libvirt.domains[uuid].discard(volume)
        return self.disconnect(uuid, volume, **how)

    def unmap(self, uuid, volume):
        """Delete the mapping of a volume, the last step of a detach."""
        self.nova.mapping(uuid, volume).deleted = True
