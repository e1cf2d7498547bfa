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

"""What else happens to servers that stay on one host."""

from harness.nova import shared_volume  # isort: skip

import contextlib
import threading

import fixtures
from nova import context as nova_context
from nova import objects
from oslo_concurrency import processutils

from harness.nova import compat
from harness.nova import operation
from harness.nova import volumes


class Lifecycle:
    """Operations on servers that stay on their host, and what may go wrong.

    To be mixed into a :class:`harness.nova.shared_volume.SharedVolumeTest`.

    Points besides those of ``harness.nova.points``: ``image``, the local
    disks of a server's guest are about to be made; with the volume,
    ``encrypt``, its encryptor is about to be attached, ``encrypted`` and
    ``decrypted``, it has been attached or detached.
    """

    # What they do.

    def rebuild(self, server):
        """Start to rebuild a server from its image.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._action('rebuild_instance', server, {
            'rebuild': {'imageRef': shared_volume.IMAGE}})

    def hard_reboot(self, server):
        """Start to reboot a server as if its power had failed.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._action('reboot_instance', server,
                            {'reboot': {'type': 'HARD'}})

    def stop(self, server):
        """Start to shut a server down.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._action('stop_instance', server, {'os-stop': None})

    def start(self, server):
        """Start to switch a server on.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._action('start_instance', server, {'os-start': None})

    def rescue(self, server):
        """Start to boot a server from a rescue image.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._action('rescue_instance', server, {'rescue': None})

    def unrescue(self, server):
        """Start to bring a rescued server back.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._action('unrescue_instance', server, {'unrescue': None})

    def unshelve(self, server):
        """Start to unshelve a server.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._action('unshelve_instance', server, {'unshelve': None})

    def swap(self, server, old, new):
        """Start to put another volume in the place of one.

        :param server: UUID of the server
        :param old: ID of the volume that it has
        :param new: ID of a volume that nobody has
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._start('swap_volume', server, lambda: self.api.api_put(
            '/servers/%s/os-volume_attachments/%s' % (server, old),
            {'volumeAttachment': {'volumeId': new}}))

    def boot(self, name, *volumes):
        """Start to boot a server, which may fail.

        :param name: what the trace calls it
        :param volumes: IDs of the volumes that it has after its first disk
        :returns: UUID of the server, and the
            :class:`harness.nova.operation.Operation`
        """
        server = self.api.api_post('/servers', {'server': {
            'name': name, 'imageRef': shared_volume.IMAGE, 'flavorRef': '1',
            'networks': 'none', 'host': self.HOST,
            'block_device_mapping_v2': [
                {'boot_index': 0, 'uuid': shared_volume.IMAGE,
                 'source_type': 'image', 'destination_type': 'local'}] + [
                {'boot_index': -1, 'uuid': volume, 'source_type': 'volume',
                 'destination_type': 'volume'} for volume in volumes],
        }}).body['server']['id']
        self.gates.names[server] = name
        started = operation.Operation(
            self.gates, self.locks, '_do_build_and_run_instance', server,
            before=0)
        self._operations.append(started)
        return server, started

    def delete_locally(self, server):
        """Delete a server while nova-compute seems to be down.

        When this returns the server is deleted for Nova and for Cinder, and
        its guest runs on.

        :param server: UUID of the server
        """
        self._force_down(True)
        self.gates.reach('delete_locally', instance=server)
        self.api.api_delete('/servers/%s' % server)
        self._force_down(False)

    def reap(self):
        """Let nova-compute look for guests of deleted servers, and wait."""
        self.flags(running_deleted_instance_action='reap',
                   running_deleted_instance_timeout=0)
        manager = self.computes[self.HOST].manager
        # In a thread of its own, as tasks that run by the clock are.
        reaping = threading.Thread(
            target=manager._cleanup_running_deleted_instances,
            args=(nova_context.get_admin_context(),))
        self.gates.reach('reap', host=self.HOST)
        reaping.start()
        reaping.join()

    # What happens to them.

    def lose_domain(self, server):
        """Let libvirt forget about a guest that crashed.

        :param server: UUID of the server
        """
        self.gates.reach('lose_domain', instance=server)
        connection = self.computes[
            self.HOST].manager.driver._host.get_connection()
        for name, domain in list(connection._vms.items()):
            if domain.UUIDString() == server:
                del connection._vms[name]

    def fail_start(self, server):
        """Let libvirt fail to start the guest of a server.

        :param server: UUID of the server
        """
        self._guests.unstartable.add(server)

    def fail_images(self):
        """Let the local disks of no server be made from now on."""
        def create_image(driver, context, instance, *args, **kwargs):
            self.gates.reach('image', instance=instance.uuid)
            raise RuntimeError('no space left on device')

        self.useFixture(fixtures.MonkeyPatch(
            'nova.virt.libvirt.LibvirtDriver._create_image', create_image))

    def fail_guest_attach(self, server):
        """Let libvirt refuse a new device of a guest.

        :param server: UUID of the server
        """
        domain = compat.fakelibvirt.Domain
        attach = domain.attachDeviceFlags

        def attachDeviceFlags(domain, xml, flags):
            if domain.UUIDString() != server:
                return attach(domain, xml, flags)
            raise compat.fakelibvirt.make_libvirtError(
                compat.fakelibvirt.libvirtError, 'no more available slots',
                error_code=compat.fakelibvirt.VIR_ERR_INTERNAL_ERROR,
                error_domain=compat.fakelibvirt.VIR_FROM_QEMU)

        self.useFixture(fixtures.MonkeyPatch(
            '%s.Domain.attachDeviceFlags' % compat.FAKELIBVIRT,
            attachDeviceFlags))

    def fail_complete(self, server):
        """Let Cinder refuse to complete the attachments of a server.

        :param server: UUID of the server
        """
        complete = self.volumes.complete

        def refuse(attachment_id):
            if self.volumes.get_attachment(attachment_id).instance == server:
                raise volumes.Refused('Attachment cannot be completed.')
            return complete(attachment_id)

        self.useFixture(fixtures.MockPatchObject(
            self.volumes, 'complete', refuse))

    @contextlib.contextmanager
    def failing_to_unmap(self, server):
        """Let no mapping of a server be removed, inside this context.

        :param server: UUID of the server
        """
        destroy = objects.BlockDeviceMapping.destroy

        def fail(bdm):
            if bdm.instance_uuid == server:
                raise RuntimeError('lost connection to the database')
            return destroy(bdm)

        with fixtures.MonkeyPatch(
                'nova.objects.BlockDeviceMapping.destroy', fail):
            yield

    def encrypt(self, volume):
        """Let Cinder say that a volume, not used yet, is encrypted.

        It is not done by QEMU, but by os-brick, below the guests: all guests
        on a host share what it sets up.

        :param volume: ID of the volume
        """
        self.flags(fixed_key='0' * 64, group='key_manager')
        self.volumes.get(volume).encryption = {
            'provider': 'plain', 'control_location': 'front-end',
            'encryption_key_id': 'e8387001-745d-45d0-9e4e-0473815ef09a'}
        self.useFixture(fixtures.MonkeyPatch(
            'os_brick.encryptors.get_volume_encryptor',
            lambda connection_info, **kwargs: _Encryptor(
                self.gates, connection_info)))

    # What is there.

    def conclude(self, *args, **kwargs):
        """Wait for the end of all operations, and look what is left.

        What is connected for a server that is not there any more is a leak,
        unless its guest still runs.

        :param args: see :class:`harness.nova.shared_volume.SharedVolumeTest`
        :param kwargs: likewise
        """
        for started in self._operations:
            started.wait()
        servers = {
            server['id']: server['OS-EXT-SRV-ATTR:host']
            for server in self.api.api_get(
                '/servers/detail?all_tenants=1').body['servers']}
        self.ledger.strike_out(
            lambda host, server: servers.get(server) == host)
        super().conclude(*args, **kwargs)

    # How it is done.

    def _action(self, name, server, action):
        return self._start(name, server, lambda: self.api.api_post(
            '/servers/%s/action' % server, action))

    def _force_down(self, down):
        service = self.admin_api.api_get(
            '/os-services?host=%s&binary=nova-compute' % self.HOST
        ).body['services'][0]['id']
        self.admin_api.api_put('/os-services/%s' % service,
                               {'forced_down': down})


class _Encryptor:
    """Stands in for os-brick's encryptor of one volume.

    cryptsetup refuses to open a device that is open already, and closing
    one that is not open succeeds.
    """

    def __init__(self, gates, connection_info):
        self._gates = gates
        self._volume = connection_info['data']['volume_id']

    def attach_volume(self, context, **kwargs):
        self._gates.reach('encrypt', volume=self._volume)
        if self._is_open():
            raise processutils.ProcessExecutionError(
                cmd='cryptsetup create', exit_code=5)
        self._gates.reach('encrypted', volume=self._volume)

    def detach_volume(self, **kwargs):
        if self._is_open():
            self._gates.reach('decrypted', volume=self._volume)

    def _is_open(self):
        return (self._gates.happened('encrypted', volume=self._volume) >
                self._gates.happened('decrypted', volume=self._volume))


class LifecycleTest(Lifecycle, shared_volume.SharedVolumeTest):
    """One host, a multiattach volume, and servers that stay there."""
