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

"""Bug 1937084, Nova's part: what Cinder does not know is detached already."""

from harness.nova import compat
from harness.nova import shared_volume


class TestDetachGone(shared_volume.SharedVolumeTest):

    race = 'detach-gone'
    title = "detach(A), A's attachment goes meanwhile"

    def test_race(self):
        volume = self.volume(shared_targets=False)
        a = self.server('A', volume)

        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        detach = self.detach(a, volume)
        stopped.wait()

        # An earlier request of A's, thought lost, is served after all.
        self.lose_attachment(a)
        stopped.release()

        detach.wait()
        self.conclude(
            observed='404' if self.mapped(a) else 'holds', may_fail=detach)


class TestDeleteGone(shared_volume.SharedVolumeTest):

    race = 'delete-gone'
    title = "delete(A), A's attachment goes meanwhile"

    def test_race(self):
        volume = self.volume(shared_targets=False)
        a = self.server('A', volume)

        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        delete = self.delete(a)
        stopped.wait()

        self.lose_attachment(a)
        stopped.release()

        self.conclude(
            observed='404' if delete.wait() else 'holds', may_fail=delete)
        gone = self.assertRaises(compat.ApiError, self.api.get_server, a)
        self.assertEqual(404, gone.response.status_code)


class TestDetachVanished(shared_volume.SharedVolumeTest):

    race = 'detach-vanished'
    title = "detach(A) after A's attachment went, B uses the volume"

    def test_race(self):
        volume = self.volume(shared_targets=False)
        a, b = self.server('A', volume), self.server('B', volume)

        # A detach of A's came as far as Cinder, and then failed. Cinder now
        # lists one attachment on this host, and it is not A's.
        self.lose_attachment(a)
        detach = self.detach(a, volume)

        detach.wait()
        self.conclude(
            observed='404' if self.mapped(a) else 'holds', may_fail=detach)
        self.assertEqual([volume], self.mapped(b))
