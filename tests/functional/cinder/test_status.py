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


"""Other clients change a volume's attachments while A is being detached.

Whatever the order, the volume's status has to be the one that its
attachments give it.
"""

from harness.cinder import base


class Complete(base.AttachmentsTestCase):
    race = 'detach-complete'
    title = 'complete(B) when detach(A) has read which attachments are left'

    def test_race(self):
        volume = self.create_volume(multiattach=True)
        a = self.attach(volume)
        b = self.reserve(volume, 'B')
        self.connect(b, 'compute2')
        backend = self.gates.hold('driver.remove_export', volume=volume)
        detach = self.send_delete_attachment(a)
        backend.wait()
        # From here on the next one to read the list is the API.
        window = self.gates.hold('attachments of volume returned',
                                 volume=volume)
        backend.release()
        window.wait()

        self.complete(b)

        window.release()
        answer = detach.answer()
        self.assertEqual([b], list(self.ledger.volume(volume).attachments))
        self.conclude(self.outcome(volume, answer), story=self.story())


class Attach(base.AttachmentsTestCase):
    race = 'detach-attach'
    title = 'attach(B) when detach(A) has read which attachments are left'

    def test_race(self):
        volume = self.create_volume()
        a = self.attach(volume)
        backend = self.gates.hold('driver.remove_export', volume=volume)
        detach = self.send_delete_attachment(a)
        backend.wait()
        # From here on the next one to read the list is the API.
        window = self.gates.hold('attachments of volume returned',
                                 volume=volume)
        backend.release()
        window.wait()

        seen = self.show_volume(volume)['status']
        reservation = self.send_reserve(volume).answer()
        self.assertEqual(200 if seen == 'available' else 400,
                         reservation.status)
        if reservation.status == 200:
            b = reservation.body['attachment']['id']
            self.gates.names[b] = 'B'
            self.connect(b, 'compute2')
            self.complete(b)

        window.release()
        self.conclude(self.outcome(volume, detach.answer()),
                      story=self.story())
