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


"""A rolling upgrade: the API has the series, cinder-volume is released.

The released cinder-volume removes the attachment, in more than one
transaction, and gives the volume a status that only suits attachments which
are attached. The API must cope with both. On the released arm both are
released. On releases whose cinder-volume leaves the attachment to the API
there is nothing of this to test.
"""

from harness.cinder import base
from harness.cinder import compat
from harness.cinder import released


def load_tests(loader, tests, pattern):
    if compat.VOLUME_SERVICE_FINISHES:
        return tests
    return loader.suiteClass()


class AfterRpc(base.AttachmentsTestCase):
    race = 'upgrade-detach-volume-delete-after-rpc'
    title = 'released cinder-volume: delete(V) when it has answered detach(A)'

    def test_race(self):
        self.useFixture(released.ReleasedVolumeService(self.gates))
        volume = self.create_volume()
        a = self.attach(volume)
        window = self.gates.hold('rpc.attachment_delete returned',
                                 attachment=a)
        detach = self.send_delete_attachment(a)
        window.wait()

        self.assertEqual('available', self.show_volume(volume)['status'])
        self.assertEqual(202, self.delete_volume(volume).status)

        window.release()
        self.conclude(self.outcome(volume, detach.answer()),
                      story=self.story())


class BetweenTransactions(base.AttachmentsTestCase):
    race = 'upgrade-detach-volume-delete-after-commit'
    title = 'released cinder-volume: delete(V) when the row of A is gone'
    # The released cinder-volume fails before it gets to that.
    detach_end_required = False

    def test_race(self):
        self.useFixture(released.ReleasedVolumeService(self.gates))
        volume = self.create_volume()
        a = self.attach(volume)
        window = self.gates.hold('released volume_detached returned',
                                 attachment=a)
        detach = self.send_delete_attachment(a)
        window.wait()

        self.assertEqual('available', self.show_volume(volume)['status'])
        self.assertEqual(202, self.delete_volume(volume).status)

        window.release()
        self.conclude(self.outcome(volume, detach.answer()),
                      story=self.story())


class BesideReserved(base.AttachmentsTestCase):
    race = 'upgrade-detach-beside-reserved'
    title = 'released cinder-volume: detach(A), A attached, B reserved'

    def test_race(self):
        self.useFixture(released.ReleasedVolumeService(self.gates))
        volume = self.create_volume(multiattach=True)
        a = self.attach(volume)
        b = self.reserve(volume, 'B')

        answer = self.delete_attachment(a)

        self.assertEqual([b], [each['id']
                               for each in answer.body['attachments']])
        self.assertEqual(1, self.gates.happened(
            'released volume_detached returned'))
        self.conclude(self.outcome(volume, answer), story=self.story())


class Attach(base.AttachmentsTestCase):
    race = 'upgrade-detach-attach'
    title = 'released cinder-volume: attach(B) when it has answered detach(A)'

    def test_race(self):
        self.useFixture(released.ReleasedVolumeService(self.gates))
        volume = self.create_volume()
        a = self.attach(volume)
        window = self.gates.hold('rpc.attachment_delete returned',
                                 attachment=a)
        detach = self.send_delete_attachment(a)
        window.wait()

        b = self.attach(volume, 'B', 'compute2')

        window.release()
        answer = detach.answer()
        self.assertEqual([b], [each['id']
                               for each in answer.body['attachments']])
        self.conclude(self.outcome(volume, answer), story=self.story())
