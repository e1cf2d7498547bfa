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

import ddt

from harness.nova import volumes
from tests.unit.harness import base


@ddt.ddt
class TestVolumes(base.TestCase):

    def setUp(self):
        super().setUp()
        self.volumes = volumes.Volumes()
        self.volume = self.volumes.create(multiattach=True)

    def attach(self, instance, volume=None):
        attachment = self.volumes.reserve((volume or self.volume).id, instance)
        self.volumes.connect(attachment.id, {'host': 'host'})
        self.volumes.complete(attachment.id)
        return attachment

    def statuses(self, volume=None):
        volume = volume or self.volume
        return volume.status, volume.attach_status

    def test_new_volume(self):
        self.assertEqual(('available', 'detached'), self.statuses())
        self.assertIs(self.volume, self.volumes.get(self.volume.id))

    def test_encrypted(self):
        plain, encrypted = self.volumes.create(), self.volumes.create()
        encrypted.encryption = {'provider': 'plain'}

        self.assertFalse(self.volumes.reserve(plain.id, 'a').encrypted)
        self.assertTrue(self.volumes.reserve(encrypted.id, 'a').encrypted)

    def test_only_completed_attachments_are_listed(self):
        attachment = self.volumes.reserve(self.volume.id, 'a')
        self.assertEqual([], self.volume.listed)
        self.assertEqual('reserved', self.volume.status)

        self.volumes.connect(attachment.id, {'mountpoint': '/dev/vdb'})
        self.assertEqual([], self.volume.listed)
        self.assertEqual(('attaching', 'attaching'), self.statuses())

        self.volumes.complete(attachment.id)
        self.assertEqual([attachment], self.volume.listed)
        self.assertEqual(('in-use', 'attached'), self.statuses())
        self.assertEqual('/dev/vdb', attachment.mountpoint)

    @ddt.data(True, False)
    def test_reserve_in_use(self, multiattach):
        volume = self.volumes.create(multiattach=multiattach)
        self.attach('a', volume)

        if multiattach:
            self.attach('b', volume)
            self.assertEqual(2, len(volume.listed))
        else:
            self.assertRaises(volumes.Refused, self.volumes.reserve,
                              volume.id, 'b')

    @ddt.data('reserved', 'attaching', 'detaching', 'deleting', 'error')
    def test_reserve_refused(self, status):
        self.attach('a')
        self.volume.status = status

        self.assertRaises(volumes.Refused, self.volumes.reserve,
                          self.volume.id, 'b')

    @ddt.data(('in-use', True), ('reserved', True), ('attaching', False),
              ('detaching', False))
    @ddt.unpack
    def test_reserve_again_for_the_same_instance(self, status, accepted):
        volume = self.volumes.create()
        self.attach('a', volume)
        volume.status = status

        if accepted:
            self.volumes.reserve(volume.id, 'a')
            self.assertEqual(2, len(volume.attachments))
        else:
            self.assertRaises(volumes.Refused, self.volumes.reserve,
                              volume.id, 'a')

    def test_disconnect_last(self):
        attachment = self.attach('a')

        self.volumes.disconnect(attachment.id)

        self.assertEqual(('available', 'detached'), self.statuses())
        self.assertRaises(volumes.NotFound, self.volumes.disconnect,
                          attachment.id)

    def test_disconnect_leaves_the_most_advanced_status(self):
        first, second = self.attach('a'), self.attach('b')
        third = self.volumes.reserve(self.volume.id, 'c')
        fourth = self.volumes.reserve(self.volume.id, 'c')
        self.volumes.connect(third.id, {})

        self.volumes.disconnect(first.id)
        self.assertEqual(('in-use', 'attached'), self.statuses())
        self.volumes.disconnect(second.id)
        self.assertEqual(('attaching', 'attaching'), self.statuses())
        self.volumes.disconnect(third.id)
        self.assertEqual(('reserved', 'reserved'), self.statuses())
        self.volumes.disconnect(fourth.id)
        self.assertEqual(('available', 'detached'), self.statuses())

    def test_begin_detaching_is_about_the_whole_volume(self):
        self.attach('a')
        self.attach('b')

        self.volumes.begin_detaching(self.volume.id)

        self.assertEqual('detaching', self.volume.status)
        self.assertRaises(volumes.Refused, self.volumes.begin_detaching,
                          self.volume.id)

    def test_begin_detaching_while_another_attaches(self):
        self.attach('a')
        attachment = self.volumes.reserve(self.volume.id, 'b')
        self.assertRaises(volumes.Refused, self.volumes.begin_detaching,
                          self.volume.id)
        self.volumes.connect(attachment.id, {})

        self.assertRaises(volumes.Refused, self.volumes.begin_detaching,
                          self.volume.id)

    def test_roll_detaching(self):
        self.attach('a')
        self.volumes.begin_detaching(self.volume.id)

        self.volumes.roll_detaching(self.volume.id)
        self.assertEqual('in-use', self.volume.status)

        self.volume.status = 'available'
        self.volumes.roll_detaching(self.volume.id)
        self.assertEqual('available', self.volume.status)

    def test_reset_status(self):
        self.attach('a')
        self.volumes.begin_detaching(self.volume.id)

        self.volumes.reset_status(self.volume.id, 'in-use', 'attached')

        self.volumes.begin_detaching(self.volume.id)

    def test_delete(self):
        attachment = self.attach('a')
        self.assertRaises(volumes.Refused, self.volumes.delete, self.volume.id)
        self.volumes.disconnect(attachment.id)

        self.volumes.delete(self.volume.id)

        self.assertRaises(volumes.NotFound, self.volumes.get, self.volume.id)

    def test_delete_with_a_reservation(self):
        self.volumes.reserve(self.volume.id, 'a')

        self.assertRaises(volumes.Refused, self.volumes.delete, self.volume.id)

    @ddt.data('get', 'delete', 'begin_detaching', 'roll_detaching')
    def test_no_such_volume(self, method):
        self.assertRaises(volumes.NotFound, getattr(self.volumes, method),
                          'none')

    @ddt.data(('reserve', 'a'), ('reset_status', 'in-use', 'attached'))
    def test_no_such_volume_with_arguments(self, call):
        self.assertRaises(volumes.NotFound, getattr(self.volumes, call[0]),
                          'none', *call[1:])

    @ddt.data(('get_attachment',), ('connect', {}), ('complete',),
              ('disconnect',))
    def test_no_such_attachment(self, call):
        self.assertRaises(volumes.NotFound, getattr(self.volumes, call[0]),
                          'none', *call[1:])

    def test_get_attachments(self):
        other = self.volumes.create()
        first, second = self.attach('a'), self.attach('b', other)

        self.assertEqual([first, second], self.volumes.get_attachments())
