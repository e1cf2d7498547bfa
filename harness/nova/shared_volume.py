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

"""What a test about servers that share a volume has to say."""

from harness.nova import compat  # isort: skip

import fixtures
import nova

from harness import declared
from harness import gates
from harness import locks
from harness.nova import arms
from harness.nova import cinder
from harness.nova import connector
from harness.nova import guests
from harness.nova import ledger
from harness.nova import operation
from harness.nova import points
from harness.nova import rules
from harness import race

IMAGE = '155d900f-4e14-4e4c-a73d-069cbf4541e6'


class SharedVolumeTest(race.RaceMixin, compat.ServersTestBase):
    """One host, a multiattach volume, and servers that share it.

    API, conductor, scheduler, nova-compute and its libvirt driver are those
    of the release under test. Operations are started through the API; they
    go on in threads of their own while the test goes on too.

    :ivar gates: :class:`harness.gates.Gates`
    :ivar locks: :class:`harness.locks.LockWatch`
    :ivar ledger: :class:`harness.nova.ledger.Ledger`
    :ivar volumes: :class:`harness.nova.volumes.Volumes` of Cinder
    """

    CAST_AS_CALL = False
    REQUIRES_LOCKING = True
    ADMIN_API = True
    # All releases know it. From 2.101 on the API does not wait for Cinder's
    # refusal of an attachment.
    microversion = '2.88'
    HOST = 'compute1'

    def setUp(self):
        arms.check(declared.Declared.from_environ().arm, nova.__file__)
        self._operations = []
        self._connectors = {}
        self.gates = self.useFixture(gates.Gates())
        self.locks = self.useFixture(locks.LockWatch(self.gates))
        self.ledger = ledger.Ledger(
            self._guests_with, lambda uuid: self.gates.names.get(uuid, uuid))
        self.locks.check(lambda name, held: self._violate(
            rules.is_no_leaf(name, held)))
        self._guests = self.useFixture(guests.Guests(self.gates, self._slow))
        fake_cinder = cinder.Cinder(self.gates, self._slow)
        self.volumes = fake_cinder.volumes
        # Nova's base class would put a milder Cinder in its place.
        self.useFixture(fixtures.MonkeyPatch(
            'nova.tests.fixtures.CinderFixture', lambda test: fake_cinder))
        self.useFixture(compat.RealCasts())
        super().setUp()
        self.useFixture(compat.ConnectorProperties())
        # With shared targets os-brick's guard_connection locks only where
        # iscsiadm cannot scan manually: the answer must not depend on the
        # machine that runs the tests.
        self.useFixture(fixtures.MonkeyPatch(
            'os_brick.initiator.utils.ISCSI_SUPPORTS_MANUAL_SCAN', False))
        self.start_compute(self.HOST)
        self._watch(self.computes[self.HOST])
        self.addCleanup(self._drain)

    def _setup_compute_service(self):
        # Tasks that run by the clock would be a second scheduler.
        self.flags(periodic_enable=False)
        return super()._setup_compute_service()

    # Who is there.

    def volume(self, shared_targets):
        """Create a multiattach volume.

        :param shared_targets: True, False or None
        :returns: ID of the volume
        """
        volume = self.volumes.create(multiattach=True,
                                     shared_targets=shared_targets)
        self.gates.names[volume.id] = 'volume'
        return volume.id

    def server(self, name, volume=None, host=HOST):
        """Boot a server, and wait until it is there.

        :param name: what the trace calls it
        :param volume: ID of a volume that it has as second disk
        :param host: name of the host that it runs on
        :returns: UUID of the server
        """
        disks = [{'boot_index': 0, 'uuid': IMAGE, 'source_type': 'image',
                  'destination_type': 'local'}]
        if volume:
            disks.append({'boot_index': -1, 'uuid': volume,
                          'source_type': 'volume',
                          'destination_type': 'volume'})
        server = self.api.api_post('/servers', {'server': {
            'name': name, 'imageRef': IMAGE, 'flavorRef': '1',
            'networks': 'none', 'block_device_mapping_v2': disks,
            'host': host,
        }}).body['server']['id']
        self.gates.names[server] = name
        self.gates.wait_until(
            lambda: self.gates.happened(
                'end', operation='_do_build_and_run_instance',
                instance=server),
            'the boot of %s' % name)
        self.assertEqual('ACTIVE', self.api.get_server(server)['status'])
        if volume:
            # Else the ledger would know nothing about guests.
            self.assertIn(server, self._guests_with(host, volume))
        return server

    # What they do.

    def delete(self, server):
        """Start to delete a server.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._start(
            'terminate_instance', server,
            lambda: self.api.api_delete('/servers/%s' % server))

    def shelve_offload(self, server):
        """Start to shelve a server, which takes it from its host.

        :param server: UUID of the server
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._start(
            'shelve_instance', server,
            lambda: self.api.api_post('/servers/%s/action' % server,
                                      {'shelve': None}))

    def attach(self, server, volume):
        """Start to attach a volume.

        :param server: UUID of the server
        :param volume: ID of the volume
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._start(
            'attach_volume', server,
            lambda: self.api.api_post(
                '/servers/%s/os-volume_attachments' % server,
                {'volumeAttachment': {'volumeId': volume}}))

    def detach(self, server, volume):
        """Start to detach a volume.

        :param server: UUID of the server
        :param volume: ID of the volume
        :returns: the :class:`harness.nova.operation.Operation`
        """
        return self._start(
            'detach_volume', server,
            lambda: self.api.api_delete(
                '/servers/%s/os-volume_attachments/%s' % (server, volume)))

    def assert_refused(self, start, *args):
        """Check that the API refuses an operation because of the volume.

        :param start: e.g. ``self.detach``
        :param args: its arguments
        """
        error = self.assertRaises(compat.ApiError, start, *args)
        self.assertEqual(400, error.response.status_code)

    def reset_status(self, volume):
        """Let an administrator say that a volume is just in use.

        :param volume: ID of the volume
        """
        self.gates.reach('reset_status', volume=volume)
        self.volumes.reset_status(volume, 'in-use', 'attached')

    def lose_attachment(self, server):
        """Let the attachment of a server be deleted in Cinder, only there.

        :param server: UUID of the server
        """
        self.gates.reach('lose_attachment', instance=server)
        for attachment in self.volumes.get_attachments():
            if attachment.instance == server:
                self.gates.names[attachment.id] = 'lost'
                self.volumes.disconnect(attachment.id)

    # How far they are.

    def wait_for(self, point, server, behind, **where):
        """Wait until a server is at a point, or provably cannot get there.

        :param point: name of the point
        :param server: UUID of the server
        :param behind: gate at which the thread stands that may be in its way
        :param where: what else the event must be about
        """
        self.gates.wait_until(
            lambda: (self.gates.happened(point, instance=server, **where) or
                     self.locks.waits_behind(behind.thread)),
            '%s of %s, or its waiting for a lock' % (
                point, self.gates.names[server]))

    def mapped(self, server):
        """Ask the API which volumes a server has.

        :param server: UUID of the server
        :returns: list of volume IDs
        """
        return [attachment['volumeId'] for attachment in self.api.api_get(
            '/servers/%s/os-volume_attachments' % server
        ).body['volumeAttachments']]

    def conclude(self, variant='', observed='holds', may_fail=()):
        """Wait for the end of all operations, and look what is left.

        :param variant: e.g. ``shared_targets=True``
        :param observed: the outcome if the ledger has nothing against it
        :param may_fail: the operation that need not succeed, or a list of
            such operations
        """
        if isinstance(may_fail, operation.Operation):
            may_fail = [may_fail]
        for started in self._operations:
            error = started.wait()
            if started not in may_fail:
                self.assertIsNone(error, '%s failed: %s\n%s' % (
                    started, error, self._story()))
        outcome = self.ledger.rest()
        if outcome == 'holds':
            outcome = observed
        super().conclude(outcome, variant, self._story())

    # How it is done.

    def _start(self, name, server, request):
        started = operation.Operation(self.gates, self.locks, name, server)
        request()
        self._operations.append(started)
        return started

    def _watch(self, service):
        driver = service.manager.driver
        # What a shelved server's image holds is of no interest.
        driver.snapshot = lambda *args, **kwargs: None
        host = service.host
        if host not in self._connectors:
            self._connectors[host] = connector.Connector(host, self.ledger)
        self._guests.serve(host, driver)
        points.Points(service, self._connectors[host], self.gates,
                      self.ledger, self._slow)

    def _guests_with(self, host, volume):
        return self._guests.having(
            host, self._connectors[host].device_path(volume))

    def _slow(self, point):
        self._violate(rules.waits_on_others(point, self.locks.held()))

    def _violate(self, words):
        if words:
            self.ledger.violate('lock', words)

    def _story(self):
        return '%s\n%s' % (self.gates.story(), self.ledger.story())

    def _drain(self):
        # A thread that is still in an operation would keep the service from
        # stopping.
        self.gates.open_all()
        for started in self._operations:
            started.wait()
