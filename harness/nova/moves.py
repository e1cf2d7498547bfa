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

"""Servers that move between two hosts while others share their volume."""

from harness.nova import shared_volume  # isort: skip

import types
from unittest import mock

import fixtures
from nova.compute import manager
from nova import objects
from nova.virt import libvirt
from nova.virt.libvirt import utils as libvirt_utils
import oslo_messaging as messaging
from oslo_utils import fileutils


class MovesTest(shared_volume.SharedVolumeTest):
    """Two hosts, a multiattach volume, and servers that share it.

    Servers start on ``HOST`` and move to ``DESTINATION``. ``CONF.host`` is the
    one that was started last; detaching a volume from a guest on the other
    does not work.

    One point more, ``instances.listed``: somebody has read which instances
    are on a host.
    """

    DESTINATION = 'compute2'

    def setUp(self):
        super().setUp()
        self._keep_disks()
        self._announce_lists()
        self.start_compute(self.DESTINATION)
        self._watch(self.computes[self.DESTINATION])

    # What they do.

    def live_migrate(self, server, host=DESTINATION):
        """Start to live-migrate a server.

        The point ``guest.migrate`` is after the volumes were connected at the
        destination, and before the guest runs there.

        :param server: UUID of the server
        :param host: name of the destination
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._act('_do_live_migration', server, {
            'os-migrateLive': {'host': host, 'block_migration': 'auto'}})

    def migrate(self, server, host=DESTINATION):
        """Start to migrate a server that is shut down for it.

        :param server: UUID of the server
        :param host: name of the destination
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._act('finish_resize', server, {'migrate': {'host': host}})

    def resize(self, server, flavor='2'):
        """Start to resize a server, on the host that the scheduler chooses.

        :param server: UUID of the server
        :param flavor: ID of the new flavor
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._act('finish_resize', server,
                         {'resize': {'flavorRef': flavor}})

    def confirm_resize(self, server):
        """Start to confirm a migration or a resize.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._act('confirm_resize', server, {'confirmResize': None})

    def revert_resize(self, server):
        """Start to revert a migration or a resize.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._act('finish_revert_resize', server,
                         {'revertResize': None})

    def stop(self, server):
        """Start to shut a server down.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._act('stop_instance', server, {'os-stop': None})

    def evacuate(self, server, host=DESTINATION):
        """Start to evacuate a server from a host that is down.

        :param server: UUID of the server
        :param host: name of the destination
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._act('rebuild_instance', server,
                         {'evacuate': {'host': host}})

    def unshelve(self, server):
        """Start to unshelve a server, on the host that the scheduler chooses.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._act('unshelve_instance', server, {'unshelve': None})

    # What happens to them.

    def fail_migration(self, server):
        """Let libvirt fail to migrate the guest of a server.

        :param server: UUID of the server
        """
        self._guests.immovable.add(server)

    def fail_start(self, server):
        """Let libvirt fail to start the guest of a server.

        :param server: UUID of the server
        """
        self._guests.unstartable.add(server)

    def break_network(self, host):
        """Let the network set-up for servers that arrive on a host fail.

        :param host: name of the host
        """
        self._break(self.computes[host].manager.network_api,
                    'setup_networks_on_host', RuntimeError('network'))

    def lose_rpc(self, host, name):
        """Let no RPC of a name that a host sends to another one arrive.

        :param host: name of the host that sends it
        :param name: name of the compute manager's method
        """
        self._break(self.computes[host].manager.compute_rpcapi, name,
                    messaging.MessagingTimeout(name))

    def forget(self, host, volume, server):
        """Say that a server does not use a host connection it never left.

        :param host: name of the host
        :param volume: ID of the volume
        :param server: UUID of the server
        """
        self.gates.reach('forget', host=host, instance=server, volume=volume)
        self.ledger.leave(host, volume, server)

    def disable_host(self, host):
        """Let the scheduler choose a host no more.

        :param host: name of the host
        """
        self._update_service(host, status='disabled')

    def stop_host(self, host):
        """Stop nova-compute on a host; its guests run on.

        :param host: name of the host
        """
        self.gates.reach('stop', host=host)
        self.computes[host].stop()
        self._update_service(host, forced_down=True)

    def start_host(self, host):
        """Start nova-compute again, as a process that remembers nothing.

        What libvirt and the database know is still there.

        :param host: name of the host
        """
        self.gates.reach('start', host=host)
        self.compute_rp_uuids.pop(host)
        driver = self.computes.pop(host).manager.driver
        connection = driver._host.get_connection()
        init_host = manager.ComputeManager.init_host

        def watched_init_host(started, *args, **kwargs):
            # The start itself disconnects volumes.
            self._watch(types.SimpleNamespace(
                host=started.host, manager=started))
            return init_host(started, *args, **kwargs)

        with fixtures.MonkeyPatch(
                'nova.compute.manager.ComputeManager.init_host',
                watched_init_host), mock.patch.object(
                self, '_get_connection', return_value=connection):
            self.start_compute(host)
        self._update_service(host, forced_down=False)
        self.gates.reach('started', host=host)

    def restart_host(self, host):
        """Stop nova-compute on a host and start it again.

        :param host: name of the host
        """
        self.stop_host(host)
        self.start_host(host)

    # What is there.

    def host_of(self, server):
        """Ask the API on which host a server is.

        :param server: UUID of the server
        :returns: name of the host, None if there is no such server any more
        """
        servers = {found['id']: found for found in self.api.api_get(
            '/servers/detail?all_tenants=1').body['servers']}
        return servers.get(server, {}).get('OS-EXT-SRV-ATTR:host')

    def conclude(self, *args, **kwargs):
        """Wait for the end of all operations, and look what is left.

        What is connected for a server that is not on that host is a leak.

        :param args: see :class:`harness.nova.shared_volume.SharedVolumeTest`
        :param kwargs: likewise
        """
        for started in self._operations:
            started.wait()
        self.ledger.strike_out(
            lambda host, server: self.host_of(server) == host)
        super().conclude(*args, **kwargs)

    # How it is done.

    def _act(self, name, server, action):
        return self._start(name, server, lambda: self.api.api_post(
            '/servers/%s/action' % server, action))

    def _keep_disks(self):
        # There are no files of local disks, but their folder is moved.
        create_image = libvirt.LibvirtDriver._create_image

        def create_folder(driver, context, instance, *args, **kwargs):
            fileutils.ensure_tree(libvirt_utils.get_instance_path(instance))
            return create_image(context, instance, *args, **kwargs)

        self.useFixture(fixtures.MonkeyPatch(
            'nova.virt.libvirt.LibvirtDriver._create_image', create_folder))
        self.useFixture(fixtures.MonkeyPatch(
            'nova.virt.libvirt.LibvirtDriver._get_instance_disk_info',
            lambda *args, **kwargs: []))

    def _announce_lists(self):
        get_uuids_by_host = objects.InstanceList.get_uuids_by_host

        def announced(cls, context, host):
            uuids = get_uuids_by_host(context, host)
            self.gates.reach('instances.listed', host=host)
            return uuids

        self.useFixture(fixtures.MonkeyPatch(
            'nova.objects.InstanceList.get_uuids_by_host', announced))

    def _break(self, owner, name, error):
        self.useFixture(fixtures.MockPatchObject(
            owner, name, side_effect=error))

    def _update_service(self, host, **changes):
        service = self.admin_api.api_get(
            '/os-services?host=%s&binary=nova-compute' % host
        ).body['services'][0]['id']
        self.admin_api.api_put('/os-services/%s' % service, changes)
