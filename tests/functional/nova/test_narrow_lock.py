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

"""Different volumes on one host never wait for each other.

See ``test_bug_2048837`` for how to read these tests.
"""

from harness.nova import shared_volume


class TestOtherVolume(shared_volume.SharedVolumeTest):

    race = 'other-volume'
    title = 'attach(A) of one volume with delete(B) of another'

    def test_race(self):
        volume, other = self.volume(False), self.volume(False)
        a, b = self.server('A'), self.server('B', other)

        # Before os-brick, whose own lock is for all volumes of a host.
        stopped = self.gates.hold('connect', instance=a)
        self.attach(a, volume)
        stopped.wait()

        self.delete(b).wait(behind=stopped)
        waited = self.locks.waits_behind(stopped.thread)
        self.assertEqual(not waited, not self.ledger.is_connected(
            self.HOST, other))

        stopped.release()
        self.conclude(observed='lock' if waited else 'holds')
        self.assertEqual([volume], self.mapped(a))
