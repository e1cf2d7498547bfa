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

"""The part of Nova that ``nova_ext.host_connections`` sees, in memory.

The project's own environment has no Nova. :func:`load` imports the module
with stand-ins for what it takes from there, all of which read and write one
:class:`Nova`. They have nothing but what is named here: any other attribute
is an error.
"""

import collections
import contextlib
import importlib.util
import json
import pathlib
import sys
import types

MODULE = (pathlib.Path(__file__).resolve().parents[3] /
          'nova_ext' / 'host_connections.py')

Context = collections.namedtuple('Context', 'read_deleted')
Migration = collections.namedtuple(
    'Migration', 'instance_uuid source_compute dest_compute status')
Disk = collections.namedtuple('Disk', 'serial source_path')

ADMIN = Context('no')
REAPING = Context('yes')


class VolumeBDMNotFound(Exception):
    """No mapping of a volume."""


class InstanceNotFound(Exception):
    """No domain of an instance."""


class InternalError(Exception):
    """What must not happen."""


class Mapping:
    """A row of block_device_mapping."""

    def __init__(self, number, instance_uuid, volume_id, connection_info):
        self.id = number
        self.attachment_id = 'attachment-%d' % number
        self.instance_uuid = instance_uuid
        self.volume_id = volume_id
        self.connection_info = connection_info
        self.deleted = False


class Instance:
    """An instance, as the caller of HostConnections has it."""

    def __init__(self, uuid, host=None, context=ADMIN):
        self.uuid = uuid
        self.host = host
        self._context = context


class Guest:
    """A running domain."""

    def __init__(self, host, uuid):
        self._host = host
        self.uuid = uuid

    def get_xml_desc(self):
        return ' '.join('%s %s' % disk for disk in self.get_all_disks())

    def get_all_disks(self):
        if self.uuid not in self._host.domains:
            raise InstanceNotFound(self.uuid)
        return [Disk(volume, device_path(volume))
                for volume in sorted(self._host.domains[self.uuid])]


class LibvirtHost:
    """The domains of one host.

    :ivar domains: ``{instance UUID: set of volume IDs}``
    :ivar stopped: set of the UUIDs of domains that do not run
    """

    def __init__(self):
        self.domains = {}
        self.stopped = set()

    def get_guest(self, instance):
        if instance.uuid not in self.domains:
            raise InstanceNotFound(instance.uuid)
        return Guest(self, instance.uuid)

    def list_guests(self, only_running):
        assert only_running
        return [Guest(self, uuid) for uuid in sorted(self.domains)
                if uuid not in self.stopped]

    def having(self, volume):
        """Tell which running guests have a volume's disk.

        :param volume: ID of the volume
        :returns: list of instance UUIDs
        """
        return [guest.uuid for guest in self.list_guests(only_running=True)
                if volume in self.domains[guest.uuid]]


class Nova:
    """Database and hosts.

    :ivar instances: ``{instance UUID: name of its host or None}``
    :ivar mappings: list of :class:`Mapping`
    :ivar migrations: ``{instance UUID: Migration}``, the last one of each
    :ivar before: function called with the name of a look-up before it
    """

    def __init__(self):
        self.instances = {}
        self.mappings = []
        self.migrations = {}
        self.before = lambda name: None

    def map(self, instance, volume, connection_info=None):
        """Add a mapping.

        :param instance: UUID of the instance
        :param volume: ID of the volume
        :param connection_info: what Nova would write as text, a dict or None
        :returns: the :class:`Mapping`
        """
        mapping = Mapping(
            len(self.mappings) + 1, instance, volume,
            None if connection_info is None else json.dumps(connection_info))
        self.mappings.append(mapping)
        return mapping

    def mapping(self, instance, volume):
        """Find the mapping that is not deleted.

        :param instance: UUID of the instance
        :param volume: ID of the volume
        :returns: the :class:`Mapping` or None
        """
        return next((mapping for mapping in self.mappings
                     if not mapping.deleted and
                     mapping.instance_uuid == instance and
                     mapping.volume_id == volume), None)

    def get_by_volume(self, context, volume_id):
        self.before('mappings')
        found = [mapping for mapping in self.mappings
                 if mapping.volume_id == volume_id and
                 (not mapping.deleted or context.read_deleted == 'yes')]
        if not found:
            raise VolumeBDMNotFound(volume_id)
        return found

    def get_uuids_by_host(self, context, host):
        self.before('instances')
        return [uuid for uuid, where in self.instances.items()
                if where == host]

    def get_by_filters(self, context, filters):
        self.before('migrations')
        assert sorted(filters) == ['host', 'status']
        return [migration for migration in self.migrations.values()
                if migration.status in filters['status'] and filters['host']
                in (migration.source_compute, migration.dest_compute)]


class MountDriver:
    """A volume driver that counts the users of a mount itself."""


def device_path(volume):
    """Path of a volume's device.

    :param volume: ID of the volume
    :returns: the path on each host
    """
    return '/dev/disk/by-id/dm-uuid-mpath-%s' % volume


def connection_info(volume, multiattach=True):
    """What Cinder says about how to connect a volume.

    :param volume: ID of the volume
    :param multiattach: whether several instances may have it
    :returns: dict
    """
    return {'multiattach': multiattach,
            'data': {'volume_id': volume, 'device_path': device_path(volume)}}


def load(nova, path=MODULE):
    """Import ``host_connections`` on top of a :class:`Nova`.

    :param nova: the :class:`Nova`
    :param path: the module's file
    :returns: the module, a new one each time
    """
    spec = importlib.util.spec_from_file_location(
        'nova.virt.libvirt.host_connections', path)
    module = importlib.util.module_from_spec(spec)
    with _standing_in(_stand_ins(nova)):
        spec.loader.exec_module(module)
    return module


def _stand_ins(nova):
    return {
        'nova': {},
        'nova.context': {'get_admin_context': lambda: ADMIN},
        'nova.exception': {'VolumeBDMNotFound': VolumeBDMNotFound,
                           'InstanceNotFound': InstanceNotFound,
                           'InternalError': InternalError},
        'nova.i18n': {'_': lambda text: text},
        'nova.objects': {
            'Instance': Instance,
            'BlockDeviceMappingList': types.SimpleNamespace(
                get_by_volume=nova.get_by_volume),
            'InstanceList': types.SimpleNamespace(
                get_uuids_by_host=nova.get_uuids_by_host),
            'MigrationList': types.SimpleNamespace(
                get_by_filters=nova.get_by_filters)},
        'nova.virt': {},
        'nova.virt.block_device': {
            'get_volume_id': lambda info: info['data']['volume_id']},
        'nova.virt.libvirt': {},
        'nova.virt.libvirt.volume': {},
        'nova.virt.libvirt.volume.fs': {
            'LibvirtMountedFileSystemVolumeDriver': MountDriver},
    }


@contextlib.contextmanager
def _standing_in(contents):
    modules = {}
    for name, content in contents.items():
        modules[name] = types.ModuleType(name)
        modules[name].__dict__.update(content)
        parent, _, child = name.rpartition('.')
        if parent:
            modules[name].__package__ = parent
            setattr(modules[parent], child, modules[name])
    before = {name: sys.modules[name] for name in modules
              if name in sys.modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]
        sys.modules.update(before)
