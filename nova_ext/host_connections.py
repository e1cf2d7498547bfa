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

"""Who uses the connection of a multiattach volume on this host.

All guests of one host share what os-brick builds for a volume there: paths,
multipath map, device node. The last user that leaves has to remove it, and
nobody else may.
"""

import collections
import contextlib

from oslo_concurrency import lockutils
from oslo_log import log as logging
from oslo_serialization import jsonutils
from oslo_utils import excutils

from nova import context as nova_context
from nova import exception
from nova.i18n import _
from nova import objects
from nova.virt import block_device as driver_block_device
from nova.virt.libvirt.volume import fs

LOG = logging.getLogger(__name__)

# The statuses of a migration that may still bring its instance to the
# destination.
ARRIVING = ('accepted', 'queued', 'preparing', 'pre-migrating', 'running',
            'running (post-copy)', 'migrating', 'post-migrating')

# How many instances that left are remembered at most. One is needed only
# until its block device mapping is gone, a moment later as a rule.
MAX_RELEASED = 4096


def is_shared(connection_info, vol_driver):
    """Tell whether instances on this host may share a volume's connection.

    :param connection_info: dict, connection_info of the volume
    :param vol_driver: the libvirt volume driver that connects the volume
    :returns: True for a multiattach volume, unless its volume driver counts
        the users of a mount itself (nova.virt.libvirt.volume.mount)
    """
    if isinstance(vol_driver, fs.LibvirtMountedFileSystemVolumeDriver):
        return False
    return connection_info.get('multiattach', False)


def get_device_path(connection_info):
    """Get the path of a volume's device on the host that connected it.

    :param connection_info: dict, connection_info of the volume
    :returns: path, or None if it is not known
    """
    return (connection_info.get('data') or {}).get('device_path')


def has_connection_info(bdm):
    """Tell whether a block device mapping says how to connect its volume.

    An attachment that failed leaves the string '{}' behind.

    :param bdm: nova.objects.BlockDeviceMapping
    :returns: True if there is a connection_info with something in it
    """
    try:
        return bool(jsonutils.loads(bdm.connection_info or '{}'))
    except ValueError:
        return False


def find_users(mapped, local, connected, released, is_arriving, has_domain):
    """Decide which instances use a volume on this host.

    :param mapped: set of the UUIDs of the instances, on any host, that have
        a mapping of the volume with a connection_info
    :param local: set of the UUIDs of the instances on this host
    :param connected: set of the UUIDs of the instances that this process
        connected and that have not left since
    :param released: set of the UUIDs of the instances that have left but
        whose mapping is still there
    :param is_arriving: function of an instance UUID that tells whether a
        migration in progress brings the instance to this host
    :param has_domain: function of an instance UUID that tells whether this
        host has a domain for it, running or not
    :returns: set of instance UUIDs
    """
    # A mapping alone is a plan, for it is saved before the driver connects.
    # Without a domain there was no connect, or its undoing is over.
    settled = {uuid for uuid in (mapped & local) - released - connected
               if has_domain(uuid)}
    # The mapping of an instance on its way here belongs to another host
    # still, and one that is being attached has no connection_info yet.
    return settled | {uuid for uuid in connected
                      if uuid in local or is_arriving(uuid)}


class HostConnections(object):
    """Knows when the connection of a multiattach volume has no users left.

    HostConnections guarantees that of the connects of one volume on this
    host, and the disconnects together with the decisions whether to
    disconnect, only one goes on at a time. The driver has to connect inside
    connecting(), and to decide and disconnect inside leaving().

    The users are read from the database and from libvirt each time. What is
    remembered in between is what this process did and they do not show, or
    not yet; a restart may lose it.

    The lock is taken last: after the lock of the instance and os-brick's
    guard_connection. While it is held there are calls of os-brick, of the
    conductor and of libvirt, but no request to Cinder and no change of a
    guest.

    HostConnections does not connect or disconnect itself. For a volume that
    is_shared() denies it does nothing at all.

    :param libvirt_host: nova.virt.libvirt.host.Host
    """

    def __init__(self, libvirt_host):
        self._libvirt_host = libvirt_host
        self._host = None
        # By volume ID the UUIDs of the instances that are connected. Each
        # set is touched only by who holds the lock of its volume.
        self._connected = {}
        # By volume ID and instance UUID which mapping of the volume the
        # instance had when it left, None if that was not found out.
        self._released = collections.OrderedDict()
        # The UUIDs of the instances that may have been connected before this
        # process started, None until somebody asks.
        self._arrivals = None

    def init_host(self, host):
        """Learn the name of this host.

        :param host: what nova-compute passes to init_host of the driver.
            Not instance.host, which names another host while the instance
            migrates or is evacuated.
        """
        self._host = host

    @contextlib.contextmanager
    def connecting(self, connection_info, instance, vol_driver):
        """Connect a volume for an instance inside this context.

        From its end on the instance uses the volume. If an exception leaves
        the context nothing has changed.

        :param connection_info: dict, connection_info of the volume
        :param instance: nova.objects.Instance that is about to use it
        :param vol_driver: the libvirt volume driver that connects it
        """
        if not is_shared(connection_info, vol_driver):
            yield
            return
        volume_id = driver_block_device.get_volume_id(connection_info)
        with self._lock(volume_id):
            yield
            self._released.pop((volume_id, instance.uuid), None)
            self._connected.setdefault(volume_id, set()).add(instance.uuid)

    @contextlib.contextmanager
    def leaving(self, connection_info, instance, vol_driver):
        """Decide, and disconnect if it was the last user, in this context.

        From its beginning on the instance does not use the volume, whatever
        comes of the rest: its guest has lost the device, and the next one
        that leaves must be able to be the last.

        :param connection_info: dict, connection_info of the volume
        :param instance: nova.objects.Instance that stops using it
        :param vol_driver: the libvirt volume driver that disconnects it
        """
        if not is_shared(connection_info, vol_driver):
            yield
            return
        volume_id = driver_block_device.get_volume_id(connection_info)
        with self._lock(volume_id):
            self._forget_connected(volume_id, {instance.uuid})
            self._remember_released(volume_id, instance.uuid, None)
            try:
                yield
            except Exception:
                with excutils.save_and_reraise_exception():
                    # Deleting an instance goes on after this.
                    LOG.warning(
                        'Volume %(volume)s may be left connected to this '
                        'host, as device %(device)s, until the next instance '
                        'that uses it here is the last to leave.',
                        {'volume': volume_id,
                         'device': get_device_path(connection_info)},
                        instance=instance)

    def is_last_user(self, volume_id, instance, device_path=None):
        """Tell whether no other instance on this host uses a volume.

        To be called inside leaving().

        :param volume_id: ID of the volume
        :param instance: nova.objects.Instance that stops using it
        :param device_path: path of its device on this host, if known
        :returns: True if the connection has to be removed
        :raises: what the conductor or libvirt raise. Nothing is known about
            other users then, and the connection has to stay.
        """
        users = self._find_others(volume_id, instance)
        if users:
            LOG.debug('Volume %(volume)s is still used on this host by: '
                      '%(users)s',
                      {'volume': volume_id, 'users': ', '.join(sorted(users))},
                      instance=instance)
            return False

        guest = self._find_guest_with_disk(volume_id, instance, device_path)
        if guest:
            LOG.warning('Keeping the connection of volume %(volume)s: the '
                        'running guest of instance %(guest)s has the disk, '
                        'though nothing else tells that it uses the volume '
                        'on this host.',
                        {'volume': volume_id, 'guest': guest.uuid},
                        instance=instance)
            return False
        return True

    def _lock(self, volume_id):
        # A fair lock would be no lock among greenthreads made by spawn_n,
        # before oslo.concurrency 5.0.1.
        return lockutils.lock(
            'host-connection-%s-%s' % (self._host, volume_id),
            lock_file_prefix='nova-')

    def _find_others(self, volume_id, instance):
        if self._host is None:
            raise exception.InternalError(
                _('The libvirt driver does not know the name of its host yet'))
        # Not the caller's context: one that reads deleted rows would bring
        # mappings of the past back.
        context = nova_context.get_admin_context()
        try:
            bdms = objects.BlockDeviceMappingList.get_by_volume(
                context, volume_id)
        except exception.VolumeBDMNotFound:
            bdms = []
        mappings = {bdm.instance_uuid: (bdm.id, bdm.attachment_id)
                    for bdm in bdms if has_connection_info(bdm)}
        released = self._get_released(volume_id, instance, mappings)
        connected = self._get_connected(context, volume_id, mappings, released)
        local = self._get_local(context)
        arriving = set()
        if connected - local:
            arriving = self._get_arriving(context)
            # An instance belongs to this host before its migration ends, so
            # what is read in this order cannot miss it.
            local = self._get_local(context)

        users = find_users(set(mappings), local, connected, released,
                           arriving.__contains__, self._has_domain)
        # What neither arrived nor is on its way any more will never leave.
        self._forget_connected(volume_id, connected - users)
        return users - {instance.uuid}

    def _get_released(self, volume_id, instance, mappings):
        if instance.uuid not in mappings:
            self._released.pop((volume_id, instance.uuid), None)
        released = set()
        for uuid, mapping in mappings.items():
            try:
                then = self._released[volume_id, uuid]
            except KeyError:
                continue
            if then not in (None, mapping):
                # That was another attachment of the same volume.
                self._released.pop((volume_id, uuid), None)
                continue
            if then is None:
                self._remember_released(volume_id, uuid, mapping)
            released.add(uuid)
        return released

    def _get_connected(self, context, volume_id, mappings, released):
        if self._arrivals is None:
            self._arrivals = self._get_arriving(context)
        connected = set(self._connected.get(volume_id, ()))
        arrived = self._arrivals.intersection(mappings) - released
        if arrived - connected:
            connected |= arrived
            self._connected[volume_id] = set(connected)
        return connected

    def _get_local(self, context):
        return set(objects.InstanceList.get_uuids_by_host(
            context, self._host))

    def _get_arriving(self, context):
        migrations = objects.MigrationList.get_by_filters(
            context, {'host': self._host, 'status': list(ARRIVING)})
        return {migration.instance_uuid for migration in migrations
                if migration.dest_compute == self._host}

    def _has_domain(self, uuid):
        try:
            self._libvirt_host.get_guest(objects.Instance(uuid=uuid))
        except exception.InstanceNotFound:
            return False
        return True

    def _find_guest_with_disk(self, volume_id, instance, device_path):
        for guest in self._libvirt_host.list_guests(only_running=True):
            if guest.uuid == instance.uuid:
                continue
            try:
                xml = guest.get_xml_desc()
            except Exception:
                if self._has_domain(guest.uuid):
                    raise
                # Gone since it was listed.
                continue
            # Parsing the XML of each guest on the host would take long.
            if volume_id not in xml and (device_path or volume_id) not in xml:
                continue
            for disk in guest.get_all_disks():
                if (disk.serial == volume_id or
                        device_path and disk.source_path == device_path):
                    return guest
        return None

    def _remember_released(self, volume_id, uuid, mapping):
        self._released.pop((volume_id, uuid), None)
        self._released[volume_id, uuid] = mapping
        while len(self._released) > MAX_RELEASED:
            self._released.popitem(last=False)

    def _forget_connected(self, volume_id, uuids):
        if self._arrivals:
            self._arrivals = self._arrivals - uuids
        left = self._connected.get(volume_id, set()) - uuids
        if left:
            self._connected[volume_id] = left
        else:
            self._connected.pop(volume_id, None)
