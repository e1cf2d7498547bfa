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


"""An attachment that is only reserved is deleted.

There is nothing at the backend, so the API process finishes alone.
"""

from oslo_utils import uuidutils

from harness.cinder import base


class Alone(base.AttachmentsTestCase):
    race = 'detach-reserved'
    title = 'detach(A), A reserved'

    def test_race(self):
        volume = self.create_volume()
        a = self.reserve(volume)
        self.assertEqual('reserved', self.show_volume(volume)['status'])

        answer = self.delete_attachment(a)

        self.assertEqual([], answer.body['attachments'])
        self.assertEqual('available', self.show_volume(volume)['status'])
        self.assertEqual(0, self.gates.happened(
            'driver.terminate_connection'))
        self.assertEqual(1, self.gates.happened(
            'notification sent', event='detach.end'))
        self.conclude(self.outcome(volume, answer), story=self.story())


class VolumeServiceDown(base.AttachmentsTestCase):
    race = 'detach-reserved-volume-service-down'
    title = 'detach(A), A reserved, cinder-volume not running'

    def test_race(self):
        volume = self.create_volume()
        a = self.reserve(volume)
        self.volume.stop()

        answer = self.delete_attachment(a)

        self.assertEqual('available', self.show_volume(volume)['status'])
        self.conclude(self.outcome(volume, answer), story=self.story())


class VolumeDelete(base.AttachmentsTestCase):
    race = 'detach-reserved-volume-delete'
    title = 'delete(V) when the row of A is gone, A was reserved'

    def test_race(self):
        volume = self.create_volume()
        a = self.reserve(volume)
        window = self.gates.hold('db.volume_detached returned', attachment=a)
        detach = self.send_delete_attachment(a)
        window.wait()

        self.assertEqual('available', self.show_volume(volume)['status'])
        self.assertEqual(202, self.delete_volume(volume).status)

        window.release()
        self.conclude(self.outcome(volume, detach.answer()),
                      story=self.story())


class VolumeDeleteBeforeNotification(base.AttachmentsTestCase):
    race = 'detach-reserved-volume-delete-before-notification'
    title = 'delete(V) before detach.end of A is sent, A was reserved'

    def test_race(self):
        volume = self.create_volume()
        a = self.reserve(volume)
        window = self.gates.hold('notification called', event='detach.end')
        detach = self.send_delete_attachment(a)
        window.wait()

        self.assertEqual('available', self.show_volume(volume)['status'])
        self.assertEqual(202, self.delete_volume(volume).status)

        window.release()
        self.conclude(self.outcome(volume, detach.answer()),
                      story=self.story())


class BesideReserved(base.AttachmentsTestCase):
    race = 'detach-reserved-beside-reserved'
    title = 'detach(A), A and B reserved'

    def test_race(self):
        volume = self.create_volume(multiattach=True)
        # Nobody but the server that has reserved a volume can do so again,
        # as for a migration.
        server = uuidutils.generate_uuid()
        a = self.reserve(volume, 'A', server)
        b = self.reserve(volume, 'B', server)

        answer = self.delete_attachment(a)

        self.assertEqual([b], [each['id']
                               for each in answer.body['attachments']])
        self.conclude(self.outcome(volume, answer), story=self.story())


class BesideAttached(base.AttachmentsTestCase):
    race = 'detach-reserved-beside-attached'
    title = 'detach(A), A reserved, B attached'

    def test_race(self):
        volume = self.create_volume(multiattach=True)
        b = self.attach(volume, 'B', 'compute2')
        a = self.reserve(volume)

        answer = self.delete_attachment(a)

        self.assertEqual([b], [each['id']
                               for each in answer.body['attachments']])
        self.assertEqual('in-use', self.show_volume(volume)['status'])
        self.conclude(self.outcome(volume, answer), story=self.story())


class AttachedBesideReserved(base.AttachmentsTestCase):
    race = 'detach-beside-reserved'
    title = 'detach(A), A attached, B reserved'

    def test_race(self):
        volume = self.create_volume(multiattach=True)
        a = self.attach(volume)
        b = self.reserve(volume, 'B')

        answer = self.delete_attachment(a)

        self.assertEqual([b], [each['id']
                               for each in answer.body['attachments']])
        self.assertEqual('reserved', self.show_volume(volume)['status'])
        self.conclude(self.outcome(volume, answer), story=self.story())


class Connecting(base.AttachmentsTestCase):
    race = 'connect-detach-reserved'
    title = 'detach(A), A reserved, while the driver connects A'

    def test_race(self):
        volume = self.create_volume()
        a = self.reserve(volume)
        window = self.gates.hold('driver.initialize_connection',
                                 volume=volume)
        connect = self.send_connect(a)
        window.wait()

        detach = self.delete_attachment(a)

        window.release()
        self.assertNotEqual(200, connect.answer().status)
        self.conclude(self.outcome(volume, detach), story=self.story())
