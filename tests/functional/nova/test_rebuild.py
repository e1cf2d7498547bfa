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

"""Bug 2048837: servers that are rebuilt, which lets them leave twice.

See ``test_bug_2048837`` for how to read these tests.
"""

from harness.nova import lifecycle


class TestRebuild(lifecycle.LifecycleTest):

    race = 'rebuild'
    title = 'rebuild(A), B uses the volume'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        # The volume is detached from A, then A's guest is destroyed: A
        # leaves twice.
        self.rebuild(a).wait()

        self.assertEqual({a, b}, self.ledger.users(self.HOST, volume))
        self.conclude()


class TestRebuildDelete(lifecycle.LifecycleTest):

    race = 'rebuild-delete'
    title = 'rebuild(A), detached, with delete(B)'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        # A has left, and has not connected again.
        stopped = self.gates.hold('guest.destroy', instance=a)
        self.rebuild(a)
        stopped.wait()

        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude()
