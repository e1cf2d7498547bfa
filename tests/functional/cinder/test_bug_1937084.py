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


"""Bug 1937084: a volume is deleted while its detach is still answered.

One client deletes the attachment A of volume V. Another one looks at V,
deletes it as soon as Cinder lets it, and V is gone before the first request
goes on. The attachment is gone as well, so the first client has to get 200.
"""

from harness.cinder import base


class AfterRpc(base.AttachmentsTestCase):
    race = 'detach-volume-delete-after-rpc'
    title = 'delete(V) when cinder-volume has answered detach(A)'

    def test_race(self):
        volume = self.create_volume()
        a = self.attach(volume)
        window = self.gates.hold('rpc.attachment_delete returned',
                                 attachment=a)
        detach = self.send_delete_attachment(a)
        window.wait()

        seen = self.show_volume(volume)['status']
        deletion = self.delete_volume(volume)
        self.assertEqual(202 if seen == 'available' else 400, deletion.status)

        window.release()
        self.conclude(self.outcome(volume, detach.answer()),
                      story=self.story())


class AfterFirstCommit(base.AttachmentsTestCase):
    race = 'detach-volume-delete-after-commit'
    title = "delete(V) when the row of A is gone, detach(A) has more to do"

    def test_race(self):
        volume = self.create_volume()
        a = self.attach(volume)
        window = self.gates.hold('db.volume_detached returned', attachment=a)
        detach = self.send_delete_attachment(a)
        window.wait()

        self.assertEqual('available', self.show_volume(volume)['status'])
        self.assertEqual(202, self.delete_volume(volume).status)

        window.release()
        self.conclude(self.outcome(volume, detach.answer()),
                      story=self.story())


class BeforeNotification(base.AttachmentsTestCase):
    race = 'detach-volume-delete-before-notification'
    title = 'delete(V) before detach.end of A is sent'

    def test_race(self):
        volume = self.create_volume()
        a = self.attach(volume)
        window = self.gates.hold('notification called', event='detach.end')
        detach = self.send_delete_attachment(a)
        window.wait()

        self.assertEqual('available', self.show_volume(volume)['status'])
        self.assertEqual(202, self.delete_volume(volume).status)

        window.release()
        self.conclude(self.outcome(volume, detach.answer()),
                      story=self.story())


class BeforeAnswer(base.AttachmentsTestCase):
    race = 'detach-volume-delete-before-answer'
    title = 'delete(V) when detach(A) has read which attachments are left'

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
        deletion = self.delete_volume(volume)
        self.assertEqual(202 if seen == 'available' else 400, deletion.status)

        window.release()
        self.conclude(self.outcome(volume, detach.answer()),
                      story=self.story())


class InBackend(base.AttachmentsTestCase):
    race = 'detach-volume-delete-in-backend'
    title = 'delete(V) while the driver detaches A'

    def test_race(self):
        volume = self.create_volume()
        a = self.attach(volume)
        window = self.gates.hold('driver.remove_export', volume=volume)
        detach = self.send_delete_attachment(a)
        window.wait()

        self.assertEqual('in-use', self.show_volume(volume)['status'])
        self.assertEqual(400, self.delete_volume(volume).status)

        window.release()
        self.conclude(self.outcome(volume, detach.answer()),
                      story=self.story())


class Accepted(base.AttachmentsTestCase):
    race = 'detach-detach-volume-delete'
    title = 'detach(A) again and delete(V) while detach(A) has only begun'

    def test_race(self):
        volume = self.create_volume()
        a = self.attach(volume)
        # The API knows A and has not yet asked anybody to detach it.
        window = self.gates.hold('api.attachment_delete called', attachment=a)
        first = self.send_delete_attachment(a)
        window.wait()

        second = self.delete_attachment(a)
        self.assertEqual(200, second.status, second)
        self.assertEqual(202, self.delete_volume(volume).status)

        window.release()
        self.conclude(self.outcome(volume, first.answer(), second),
                      story=self.story())


class Duplicate(base.AttachmentsTestCase):
    race = 'detach-detach-volume-deleting'
    title = 'detach(A) twice, the late one while V is being deleted'

    def test_race(self):
        volume = self.create_volume()
        a = self.attach(volume)
        window = self.gates.hold('driver.terminate_connection', volume=volume)
        first = self.send_delete_attachment(a)
        window.wait()

        second = self.delete_attachment(a)
        self.assertEqual(200, second.status, second)
        deleting = self.gates.hold('driver.delete_volume', volume=volume)
        self.assertEqual(202, self.send_delete_volume(volume).answer().status)
        deleting.wait()

        window.release()
        answer = first.answer()
        deleting.release()
        self.ledger.wait_for(volume, 'deleted')
        self.conclude(self.outcome(volume, answer, second),
                      story=self.story())


class Retry(base.AttachmentsTestCase):
    race = 'detach-again-after-404'
    title = 'detach(A), delete(V), and detach(A) by the same client again'

    def test_race(self):
        volume = self.create_volume()
        a = self.attach(volume)
        window = self.gates.hold('db.volume_detached returned', attachment=a)
        detach = self.send_delete_attachment(a)
        window.wait()
        self.assertEqual(202, self.delete_volume(volume).status)
        window.release()
        first = detach.answer()
        backend = self.gates.happened('driver.terminate_connection')

        # An attachment that is not there when the request arrives is 404, as
        # the API promises; and nobody touches anything for it.
        self.assertEqual(404, self.delete_attachment(a).status)
        self.assertEqual(1, backend)
        self.assertEqual(
            backend, self.gates.happened('driver.terminate_connection'))
        self.assertEqual({}, self.ledger.volume(volume).attachments)
        self.conclude(self.outcome(volume, first), story=self.story())
