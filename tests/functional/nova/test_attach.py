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

"""Bug 2048837: servers that begin to use what others use or leave.

See ``test_bug_2048837`` for how to read these tests.
"""

import ddt

from harness.nova import shared_volume

EACH_SHARED_TARGETS = (True, False, None)


@ddt.ddt
class TestAttachOffload(shared_volume.SharedVolumeTest):

    race = 'attach-offload'
    title = 'attach(C) with shelve-offload(B), status reset'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        b, c = self.server('B', volume), self.server('C')

        # C's guest has the disk. Cinder does not list C yet.
        stopped = self.gates.hold('cinder.attachment_complete', instance=c)
        self.attach(c, volume)
        stopped.wait()

        # Cinder would refuse the attachment that B is to keep.
        self.reset_status(volume)
        self.shelve_offload(b).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)
        self.assertEqual([volume], self.mapped(b))


@ddt.ddt
class TestAttachAttach(shared_volume.SharedVolumeTest):

    race = 'attach-attach'
    title = 'attach(B) with attach(C)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        b, c = self.server('B'), self.server('C')

        stopped = self.gates.hold('connect', instance=b)
        self.attach(b, volume)
        stopped.wait()

        # Cinder lets only one attach of a volume go on at a time.
        self.assert_refused(self.attach, c, volume)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)
        self.assertEqual([], self.mapped(c))


@ddt.ddt
class TestAttachAttachForced(shared_volume.SharedVolumeTest):

    race = 'attach-attach-forced'
    title = 'attach(B) with attach(C), status reset, and delete both'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        b, c = self.server('B'), self.server('C')

        stopped = self.gates.hold('connect', instance=b)
        self.attach(b, volume)
        stopped.wait()

        self.reset_status(volume)
        attach = self.attach(c, volume)
        self.wait_for('connected', c, behind=stopped)
        stopped.release()
        attach.wait()

        # Both use the volume, so the first that leaves must not disconnect.
        self.delete(b).wait()
        self.assertTrue(self.ledger.is_connected(self.HOST, volume))
        self.delete(c).wait()
        self.conclude('shared_targets=%s' % shared_targets)
