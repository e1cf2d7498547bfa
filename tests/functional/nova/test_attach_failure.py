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

"""Bug 2048837: attaching a volume goes wrong after it was connected.

See ``test_bug_2048837`` for how to read these tests.
"""

from harness.nova import lifecycle


class TestAttachIncomplete(lifecycle.LifecycleTest):

    race = 'attach-incomplete'
    title = 'attach(C), Cinder does not complete it'

    def test_race(self):
        volume = self.volume(False)
        c = self.server('C')
        self.fail_complete(c)

        attaching = self.attach(c, volume)
        attaching.wait()

        self.conclude(may_fail=attaching)


class TestAttachIncompleteSharer(lifecycle.LifecycleTest):

    race = 'attach-incomplete-sharer'
    title = 'attach(C), Cinder does not complete it, B uses the volume'

    def test_race(self):
        volume = self.volume(False)
        b, c = self.server('B', volume), self.server('C')
        self.fail_complete(c)

        # C leaves, though Cinder never listed it.
        attaching = self.attach(c, volume)
        attaching.wait()

        self.assertEqual({b}, self.ledger.users(self.HOST, volume))
        self.conclude(may_fail=attaching)


class TestAttachGuestFails(lifecycle.LifecycleTest):

    race = 'attach-guest-fails'
    title = 'attach(C), the guest does not get the disk'

    def test_race(self):
        volume = self.volume(False)
        c = self.server('C')
        self.fail_guest_attach(c)

        attaching = self.attach(c, volume)
        attaching.wait()

        self.conclude(may_fail=attaching)


class TestAttachGuestFailsSharer(lifecycle.LifecycleTest):

    race = 'attach-guest-fails-sharer'
    title = 'attach(C), the guest does not get the disk, B uses the volume'

    def test_race(self):
        volume = self.volume(False)
        b, c = self.server('B', volume), self.server('C')
        self.fail_guest_attach(c)

        attaching = self.attach(c, volume)
        attaching.wait()

        self.assertEqual({b}, self.ledger.users(self.HOST, volume))
        self.conclude(may_fail=attaching)


class TestAttachWaitingDelete(lifecycle.LifecycleTest):

    race = 'attach-waiting-delete'
    title = 'delete(C) that waited while attach(C) connected'

    def test_race(self):
        volume = self.volume(False)
        c = self.server('C')

        # C's mapping has no volume's connection_info yet.
        stopped = self.gates.hold('connected', instance=c)
        self.attach(c, volume)
        stopped.wait()

        # It has read the mappings, and waits for the lock of C.
        deleting = self.delete(c)
        deleting.wait(behind=stopped)

        stopped.release()
        self.conclude()


class TestLostDomain(lifecycle.LifecycleTest):

    race = 'lost-domain'
    title = 'delete(A), whose domain was lost, B uses the volume'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        self.lose_domain(a)
        self.delete(a).wait()

        self.assertEqual({b}, self.ledger.users(self.HOST, volume))
        self.conclude()
