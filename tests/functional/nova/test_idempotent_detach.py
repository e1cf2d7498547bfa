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

"""A detach goes on where the goal is reached, wherever Cinder says so."""

from harness.nova import compat
from harness.nova import lifecycle
from harness.nova import shared_volume


class TestVolumeGoes(shared_volume.SharedVolumeTest):
    """Cinder answers 404 for the volume and for all that it had.

    The volume goes at each request of a detach in its turn: the requests are
    the same ones each time, and the one before is served.
    """

    race = 'detach-volume-goes'
    title = 'detach(A), the volume goes at each request to Cinder'

    def test_race(self):
        requests = self._requests()
        self.assertIn('cinder.get', requests)
        self.assertIn('cinder.begin_detaching', requests)
        self.assertIn('cinder.attachment_delete', requests)

        kept = [request for request in requests if not self._detach(request)]

        self.conclude(observed='404' if kept else 'holds',
                      may_fail=self._operations)

    def _requests(self):
        # The first of each kind, in the order of a detach that succeeds.
        volume = self.volume(shared_targets=False)
        server = self.server('A', volume)
        before = len(self.gates.trace)
        self.detach(server, volume).wait()
        self.assertEqual([], self.mapped(server))
        points = [event.point for event in self.gates.trace[before:]]
        return [point for number, point in enumerate(points)
                if point.startswith('cinder.') and
                point not in points[:number]]

    def _detach(self, request):
        volume = self.volume(shared_targets=False)
        server = self.server('A of %s' % request, volume)
        lost = []

        def lose(point, where):
            if point == request and not lost:
                lost.append(point)
                self.volumes.lose(volume)

        with self.gates.visited(lose):
            try:
                self.detach(server, volume).wait()
            except compat.ApiError:
                pass
        self.assertEqual([request], lost)
        return not self.mapped(server)


class TestVolumeGoesSharer(shared_volume.SharedVolumeTest):
    """The host connection stays for whom has it, gone volume or not."""

    race = 'detach-volume-goes-sharer'
    title = 'detach(A) and then detach(B), the volume has gone'

    def test_race(self):
        volume = self.volume(shared_targets=False)
        a, b = self.server('A', volume), self.server('B', volume)
        self.volumes.lose(volume)

        for server in (a, b):
            try:
                self.detach(server, volume).wait()
            except compat.ApiError:
                pass
            # The ledger checks what B has while A leaves.

        self.conclude(
            observed='404' if self.mapped(a) or self.mapped(b) else 'holds',
            may_fail=self._operations)


class TestDetachAgain(lifecycle.LifecycleTest):
    """nova-compute fails after Cinder's work, before its own last step."""

    race = 'detach-again'
    title = 'detach(A) again after it failed once Cinder was done, B uses it'

    def test_race(self):
        volume = self.volume(shared_targets=False)
        a, b = self.server('A', volume), self.server('B', volume)
        with self.failing_to_unmap(a):
            self.assertIsNotNone(self.detach(a, volume).wait())
        self.assertEqual([volume], self.mapped(a))
        self._operations.clear()

        # What the user sees is a volume that the server still has.
        self.detach(a, volume).wait()

        self.conclude(
            observed='404' if self.mapped(a) else 'holds',
            may_fail=self._operations)
        self.assertEqual([volume], self.mapped(b))
