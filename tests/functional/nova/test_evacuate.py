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

"""Bug 2048837: servers that are evacuated, and what they leave behind.

See ``test_bug_2048837`` for how to read these tests. nova-compute on ``HOST``
is down, its guests are not. A is evacuated to ``DESTINATION``.
"""

from harness.nova import moves


class TestEvacuateDelete(moves.MovesTest):

    race = 'evacuate-delete'
    title = 'evacuation of A arrives, delete(B) at the destination'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        b = self.server('B', volume, self.DESTINATION)
        self.stop_host(self.HOST)

        # A uses the volume here, but for Nova A is at the source still.
        stopped = self.gates.hold('connected', instance=a,
                                  host=self.DESTINATION)
        self.evacuate(a)
        stopped.wait()

        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude()
        self.assertEqual(self.DESTINATION, self.host_of(a))


class TestEvacuateStoppedDelete(moves.MovesTest):

    race = 'evacuate-stopped-delete'
    title = 'evacuation of A, shut down, ends while delete(B) decides there'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        b = self.server('B', volume, self.DESTINATION)
        self.stop(a).wait()
        self.stop_host(self.HOST)

        # A is connected here and its guest is off, as it was at the source.
        arriving = self.gates.hold('end', operation='stop_instance',
                                   instance=a, host=self.DESTINATION)
        evacuation = self.evacuate(a)
        arriving.wait()

        # B has read which instances are here. A is one right after that.
        stopped = self.gates.hold('instances.listed', host=self.DESTINATION)
        self.delete(b)
        stopped.wait()
        arriving.release()
        evacuation.wait()

        stopped.release()
        # What A left behind at the source goes when the host recovers.
        self.start_host(self.HOST)
        self.conclude()


class TestEvacuateFails(moves.MovesTest):

    race = 'evacuate-fails-sharer-at-destination'
    title = 'evacuation of A fails, B stays at the destination'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        self.server('B', volume, self.DESTINATION)
        self.stop_host(self.HOST)

        # A is connected, then its guest does not start.
        self.fail_start(a)
        evacuation = self.evacuate(a)
        evacuation.wait()

        self.assertEqual({a}, self.ledger.users(self.HOST, volume))
        self.conclude(may_fail=evacuation)


class TestEvacuateFailsSharerHere(moves.MovesTest):

    race = 'evacuate-fails-sharer-at-source'
    title = 'evacuation of A fails, B stays at the source'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        self.server('B', volume)
        self.stop_host(self.HOST)

        # At the destination there was nobody but A.
        self.fail_start(a)
        evacuation = self.evacuate(a)
        evacuation.wait()

        self.conclude(may_fail=evacuation)


class TestEvacuatedRecovered(moves.MovesTest):

    race = 'evacuated-recovered'
    title = 'A was evacuated, the host recovers'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        self.stop_host(self.HOST)
        self.evacuate(a).wait()

        # The guest that A left behind is destroyed.
        self.start_host(self.HOST)

        self.assertEqual(set(), self.ledger.users(self.HOST, volume))
        self.conclude()


class TestEvacuatedRecoveredSharerHere(moves.MovesTest):

    race = 'evacuated-recovered-sharer-at-source'
    title = 'A was evacuated, the host recovers, B stays there'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)
        self.stop_host(self.HOST)
        self.evacuate(a).wait()

        self.start_host(self.HOST)

        self.assertEqual({b}, self.ledger.users(self.HOST, volume))
        self.conclude()


class TestEvacuatedRecoveredSharerThere(moves.MovesTest):

    race = 'evacuated-recovered-sharer-at-destination'
    title = 'A was evacuated, the host recovers, B is at the destination'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        self.server('B', volume, self.DESTINATION)
        self.stop_host(self.HOST)
        self.evacuate(a).wait()

        # On the recovered host there was nobody but A.
        self.start_host(self.HOST)

        self.assertEqual(set(), self.ledger.users(self.HOST, volume))
        self.conclude()
