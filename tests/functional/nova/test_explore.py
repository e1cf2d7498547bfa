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

"""The explorer finds bug 2048837 by itself, and nothing on a patched Nova.

``series explore`` does the same with more operations and more preemptions.
"""

from harness.explorer import exploration
from harness.explorer import schedules
from harness.nova import explore
from harness.nova import repertoire
from harness.nova import shared_volume


class TestExploreDeleteDetach(explore.ExploredMixin,
                              shared_volume.SharedVolumeTest):

    race = 'explore-delete-detach'
    title = 'delete(A) with detach(B) in all orders with one preemption'

    def test_race(self):
        explored = self.useFixture(explore.Explored(
            self, repertoire.parse(['delete(A)', 'detach(B)'])))
        result = exploration.explore(explored.run, schedules.Exhaustive(1))

        for failed in result.failures:
            # One schedule, one outcome.
            failure = exploration.confirm(explored.run, failed, replays=1)
            self.assertEqual(1, failure.reproduced)

        # Of the last schedule: the one that failed, if one did.
        self.conclude()
