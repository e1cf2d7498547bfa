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

"""Bug 2048837: servers that are deleted while nova-compute is down.

See ``test_bug_2048837`` for how to read these tests. A is deleted in the
database and in Cinder, and its guest runs on until nova-compute reaps it.
"""

from harness.nova import lifecycle


class TestReap(lifecycle.LifecycleTest):

    race = 'reap'
    title = 'A, deleted while nova-compute was down, is reaped'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)

        self.delete_locally(a)
        self.reap()

        self.assertEqual(set(), self.ledger.users(self.HOST, volume))
        self.conclude()


class TestReapSharer(lifecycle.LifecycleTest):

    race = 'reap-sharer'
    title = 'A, deleted while nova-compute was down, is reaped, B stays'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        self.delete_locally(a)
        self.reap()

        self.assertEqual({b}, self.ledger.users(self.HOST, volume))
        self.conclude()


class TestDeleteReap(lifecycle.LifecycleTest):

    race = 'delete-reap'
    title = 'delete(B) before A, deleted meanwhile, is reaped'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        # For Nova and for Cinder B is the last one, but A's guest runs.
        self.delete_locally(a)
        self.delete(b).wait()
        self.reap()

        self.assertEqual(set(), self.ledger.users(self.HOST, volume))
        self.conclude()
