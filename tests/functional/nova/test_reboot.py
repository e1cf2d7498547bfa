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

"""Bug 2048837: servers that are rebooted, stopped or started.

See ``test_bug_2048837`` for how to read these tests. A hard reboot lets A
leave and connects again.
"""

from harness.nova import lifecycle


class TestHardReboot(lifecycle.LifecycleTest):

    race = 'hard-reboot'
    title = 'hard reboot of A, B uses the volume'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        self.hard_reboot(a).wait()

        self.assertEqual({a, b}, self.ledger.users(self.HOST, volume))
        self.conclude()


class TestHardRebootDelete(lifecycle.LifecycleTest):

    race = 'hard-reboot-delete'
    title = 'hard reboot of A, left, with delete(B)'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        # A has left, and is about to connect again.
        stopped = self.gates.hold('connect', instance=a)
        self.hard_reboot(a)
        stopped.wait()

        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude()
        self.assertEqual({a}, self.ledger.users(self.HOST, volume))


class TestHardRebootConnectedDelete(lifecycle.LifecycleTest):

    race = 'hard-reboot-connected-delete'
    title = 'hard reboot of A, connected again, with delete(B)'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        # A is connected, and its guest does not run yet.
        stopped = self.gates.hold('connected', instance=a)
        self.hard_reboot(a)
        stopped.wait()

        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude()
        self.assertEqual({a}, self.ledger.users(self.HOST, volume))


class TestStopStart(lifecycle.LifecycleTest):

    race = 'stop-delete-start'
    title = 'stop(A), delete(B), start(A)'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        # A's guest is off, and is A's still.
        self.stop(a).wait()
        self.delete(b).wait()
        self.start(a).wait()

        self.assertEqual({a}, self.ledger.users(self.HOST, volume))
        self.conclude()
