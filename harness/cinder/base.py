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


"""Base class for tests of volume attachments on a running Cinder."""

import json
import os
import sys
import threading

from cinder.tests.functional import functional_helpers
from oslo_utils import uuidutils
import requests

from harness.cinder import compat
from harness.cinder import ledger
from harness.cinder import points
from harness import gates
from harness import race

#: Knows attachments (3.27) and their completion (3.44).
_MICROVERSION = '3.44'


class Answer:
    """What a client got.

    :ivar status: HTTP status code
    :ivar body: the decoded body, None if there is none
    """

    def __init__(self, response):
        self.status = response.status_code
        self.body = response.json() if response.text else None

    def __str__(self):
        return '%s %s' % (self.status, json.dumps(self.body, sort_keys=True))


class Request:
    """A request that a client has sent and not yet got an answer for."""

    def __init__(self, gates, what, send):
        self._gates, self._what = gates, what
        self._answer = self._error = None
        self._thread = threading.Thread(target=self._run, args=(send,))
        self._thread.start()

    def _run(self, send):
        answer = error = None
        try:
            answer = send()
        except Exception as exc:
            # For the thread that waits for the answer.
            error = exc
        with self._gates.changed:
            self._answer, self._error = answer, error
            self._gates.changed.notify_all()

    def answer(self):
        """Wait for the answer.

        :returns: an :class:`Answer`
        :raises DeadlineReached: if there is none
        :raises Exception: what sending the request raised
        """
        self._gates.wait_until(lambda: self._answer or self._error,
                               'the answer to %s' % self._what)
        if self._error:
            raise self._error
        return self._answer


class AttachmentsTestCase(race.RaceMixin,
                          functional_helpers._FunctionalTestBase):
    """Cinder's API over HTTP, scheduler and cinder-volume, in this process.

    The methods are what a client can do. Those that start with ``send_``
    return at once, so that a test can stop the request at a gate.

    :ivar gates: a :class:`harness.gates.Gates`; :mod:`harness.cinder.points`
        and :mod:`harness.cinder.driver` say which points there are
    :ivar ledger: a :class:`harness.cinder.ledger.Ledger`
    :ivar driver: a :class:`harness.cinder.driver.LedgerDriver`
    """

    # Cinder's base class would replace all coordination locks by mocks.
    MOCK_TOOZ = False

    #: Whether each attachment that goes has to be followed by detach.end, or
    #: may be. More than one detach.end is always wrong.
    detach_end_required = True

    def setUp(self):
        super().setUp()
        _check_arm(self.declared)
        # Old releases leave the services of a test running: they would
        # register in the next test's database and take its requests.
        for service in self._services:
            self.addCleanup(service.wait)
            self.addCleanup(service.stop)
        # Opened before the services stop, so that no thread stays behind.
        self.gates = self.useFixture(gates.Gates())
        self.ledger = self.useFixture(
            ledger.Ledger(self.gates, compat.engine()))
        self.useFixture(points.Points(self.gates))
        self.driver = self.volume.manager.driver
        self.driver.gates = self.gates
        self.api.api_version = _MICROVERSION
        self.api.create_type('plain')
        self._multiattach_type()

    def _get_flags(self):
        flags = super()._get_flags()
        flags['volume_driver'] = {
            'v': 'harness.cinder.driver.LedgerDriver', 'g': 'backend_defaults'}
        flags['default_volume_type'] = {'v': 'plain'}
        return flags

    def _multiattach_type(self):
        volume_type = self.api.create_type('multiattach')
        self.api.create_volume_type_extra_specs(
            volume_type['id'], {'multiattach': '<is> True'})

    # What a client can do.

    def create_volume(self, multiattach=False):
        """Create a volume, called V in traces.

        :param multiattach: whether it can have several attachments
        :returns: its id
        """
        volume = self.api.post_volume({'volume': {
            'size': 1,
            'volume_type': 'multiattach' if multiattach else 'plain'}})['id']
        self.gates.names[volume] = 'V'
        self.ledger.wait_for(volume, 'available')
        return volume

    def show_volume(self, volume):
        """Ask for a volume.

        :param volume: its id
        :returns: what the API shows of it
        """
        return self.api.get_volume(volume)

    def delete_volume(self, volume):
        """Delete a volume, and wait until it is gone if that is accepted.

        :param volume: its id
        :returns: an :class:`Answer`
        """
        answer = self.send_delete_volume(volume).answer()
        if answer.status == 202:
            self.ledger.wait_for(volume, 'deleted')
        return answer

    def send_delete_volume(self, volume):
        """Send the request to delete a volume.

        :param volume: its id
        :returns: a :class:`Request`
        """
        return self._send('DELETE', '/volumes/' + volume)

    def reserve(self, volume, name='A', server=None):
        """Create an attachment without a connector.

        :param volume: id of the volume
        :param name: what traces call the attachment
        :param server: id of the server, None for a new one
        :returns: id of the attachment
        """
        answer = self.send_reserve(volume, server).answer()
        self.assertEqual(200, answer.status, answer)
        attachment = answer.body['attachment']['id']
        self.gates.names[attachment] = name
        return attachment

    def send_reserve(self, volume, server=None):
        """Send the request to create an attachment without a connector.

        :param volume: id of the volume
        :param server: id of the server, None for a new one
        :returns: a :class:`Request`
        """
        return self._send('POST', '/attachments', {'attachment': {
            'volume_uuid': volume,
            'instance_uuid': server or uuidutils.generate_uuid()}})

    def connect(self, attachment, host='compute1'):
        """Give an attachment its connector.

        :param attachment: its id
        :param host: name of the host that connects
        """
        answer = self.send_connect(attachment, host).answer()
        self.assertEqual(200, answer.status, answer)

    def send_connect(self, attachment, host='compute1'):
        """Send the request that gives an attachment its connector.

        :param attachment: its id
        :param host: name of the host that connects
        :returns: a :class:`Request`
        """
        return self._send('PUT', '/attachments/' + attachment, {
            'attachment': {'connector': {
                'host': host, 'initiator': 'iqn.2026-01.org.example:' + host,
                'ip': '127.0.0.1', 'platform': 'x86_64', 'os_type': 'linux',
                'multipath': True, 'mountpoint': '/dev/vdb'}}})

    def complete(self, attachment):
        """Say that a server uses the volume now.

        :param attachment: id of the attachment
        """
        answer = self._send('POST', '/attachments/%s/action' % attachment,
                            {'os-complete': {}}).answer()
        self.assertEqual(204, answer.status, answer)

    def attach(self, volume, name='A', host='compute1'):
        """Reserve, connect and complete an attachment.

        :param volume: id of the volume
        :param name: what traces call the attachment
        :param host: name of the host that connects
        :returns: id of the attachment
        """
        attachment = self.reserve(volume, name)
        self.connect(attachment, host)
        self.complete(attachment)
        return attachment

    def send_delete_attachment(self, attachment):
        """Send the request to delete an attachment.

        :param attachment: its id
        :returns: a :class:`Request`
        """
        return self._send('DELETE', '/attachments/' + attachment)

    def delete_attachment(self, attachment):
        """Delete an attachment.

        :param attachment: its id
        :returns: an :class:`Answer`
        """
        return self.send_delete_attachment(attachment).answer()

    def _send(self, method, path, body=None):
        return Request(
            self.gates, '%s %s' % (method, path),
            lambda: Answer(self.api.api_request(
                path, method=method, headers=dict(
                    compat.HEADERS, **{'Content-Type': 'application/json'}),
                **({} if body is None else {'body': json.dumps(body)}))))

    # What a test says about it.

    def outcome(self, volume, *answers):
        """What a race came to, once nothing goes on any more.

        A 404 counts before a wrong status: it is what the client sees. A
        leak is a connection at the backend which no attachment stands for.

        :param volume: id of the volume
        :param answers: what the DELETE requests for attachments got
        :returns: one of :data:`harness.declared.OUTCOMES`, or in words what
            no target declares
        """
        self.ledger.rest(volume)
        codes = [answer.status for answer in answers]
        if 404 in codes:
            return '404'
        if self.ledger.violations:
            return 'wrong-status'
        if len(self.driver.connections[volume]) > len(
                self.ledger.volume(volume).attachments):
            return 'leak'
        if codes != [200] * len(codes):
            return 'answers %s' % codes
        ends = self.gates.happened('notification sent', event='detach.end')
        removed = len(self.ledger.removed)
        if ends > removed or (self.detach_end_required and ends < removed):
            return 'detach.end sent %d times for %d attachments' % (
                ends, removed)
        return 'holds'

    def story(self):
        """The schedule and what the ledger found, as text.

        :returns: several lines
        """
        return '\n'.join([self.gates.story()] + self.ledger.violations)


def _check_arm(declared):
    """Refuse to test another Cinder than the arm's."""
    found = os.path.dirname(os.path.abspath(sys.modules['cinder'].__file__))
    if declared.arm == 'patched':
        expected = os.path.join(os.environ['SERIES_TREE'], 'cinder')
    else:
        expected = os.path.join(
            os.path.dirname(os.path.abspath(requests.__file__)), '..',
            'cinder')
    if not os.path.samefile(found, expected):
        raise AssertionError('the %s arm needs cinder from %s, not %s' % (
            declared.arm, os.path.normpath(expected), found))
