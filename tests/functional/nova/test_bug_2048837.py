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

"""Bug 2048837: who removes the connection that servers share, and when.

A, B and C are servers on one host. ``hold`` stops a server at a point; the
points are named in ``harness.nova.points`` and ``harness.nova.cinder``. The
other server then goes on until it has done what it wants to do, or provably
waits for a lock that the stopped one holds.
"""

import ddt

from harness.nova import shared_volume

EACH_SHARED_TARGETS = (True, False, None)


@ddt.ddt
class TestDeleteDelete(shared_volume.SharedVolumeTest):

    race = 'delete-delete'
    title = 'delete(A) with delete(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        a, b = self.server('A', volume), self.server('B', volume)

        # A's guest is gone and A has decided, but Cinder still lists A.
        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        self.delete(a)
        stopped.wait()

        # B is the last one that uses the host connection.
        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestDeleteDeleteDeciding(shared_volume.SharedVolumeTest):

    race = 'delete-delete-deciding'
    title = 'delete(A), deciding, with delete(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        a, b = self.server('A', volume), self.server('B', volume)

        # A has only just decided.
        stopped = self.gates.hold('decided', instance=a)
        self.delete(a)
        stopped.wait()

        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestDeleteDetach(shared_volume.SharedVolumeTest):

    race = 'delete-detach'
    title = 'delete(A) with detach(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        a, b = self.server('A', volume), self.server('B', volume)

        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        self.delete(a)
        stopped.wait()

        self.detach(b, volume).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestDetachDelete(shared_volume.SharedVolumeTest):

    race = 'detach-delete'
    title = 'detach(A) with delete(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        a, b = self.server('A', volume), self.server('B', volume)

        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        self.detach(a, volume)
        stopped.wait()

        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestDetachDetach(shared_volume.SharedVolumeTest):

    race = 'detach-detach'
    title = 'detach(A) with detach(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        a, b = self.server('A', volume), self.server('B', volume)

        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        self.detach(a, volume)
        stopped.wait()

        # For Cinder the whole volume is detaching now.
        self.assert_refused(self.detach, b, volume)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)
        self.assertEqual([volume], self.mapped(b))


@ddt.ddt
class TestDetachDetachForced(shared_volume.SharedVolumeTest):

    race = 'detach-detach-forced'
    title = 'detach(A) with detach(B), status reset'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        a, b = self.server('A', volume), self.server('B', volume)

        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        self.detach(a, volume)
        stopped.wait()

        # A takes long, and an administrator resets the volume's status.
        self.reset_status(volume)
        self.detach(b, volume).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestOffloadDelete(shared_volume.SharedVolumeTest):

    race = 'offload-delete'
    title = 'shelve-offload(A) with delete(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        a, b = self.server('A', volume), self.server('B', volume)

        # A keeps the volume, but not the attachment with this host in it.
        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        self.shelve_offload(a)
        stopped.wait()

        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestOffloadOffload(shared_volume.SharedVolumeTest):

    race = 'offload-offload'
    title = 'shelve-offload(A) with shelve-offload(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        a, b = self.server('A', volume), self.server('B', volume)

        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        self.shelve_offload(a)
        stopped.wait()

        self.shelve_offload(b).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestOffloadDetach(shared_volume.SharedVolumeTest):

    race = 'offload-detach'
    title = 'shelve-offload(A) with detach(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        a, b = self.server('A', volume), self.server('B', volume)

        stopped = self.gates.hold('leave', instance=a)
        self.shelve_offload(a)
        stopped.wait()
        # A has left, and will decide after B has.
        deciding = self.gates.hold('cinder.attachment_delete', instance=b)
        detach = self.detach(b, volume)
        deciding.wait()

        stopped.release()
        self.wait_for('decided', a, behind=deciding)
        deciding.release()
        detach.wait()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestAttachDelete(shared_volume.SharedVolumeTest):

    race = 'attach-delete'
    title = 'attach(C) with delete(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        b, c = self.server('B', volume), self.server('C')

        # C's guest has the disk. Cinder does not list C yet.
        stopped = self.gates.hold('cinder.attachment_complete', instance=c)
        self.attach(c, volume)
        stopped.wait()

        # B is the only one that Cinder lists, not the only user.
        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestAttachDeleteConnecting(shared_volume.SharedVolumeTest):

    race = 'attach-delete-connecting'
    title = 'attach(C), connecting, with delete(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        b, c = self.server('B', volume), self.server('C')

        # C's host connection is there, and C's guest without the disk.
        stopped = self.gates.hold('connected', instance=c)
        self.attach(c, volume)
        stopped.wait()

        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestAttachDeleteLate(shared_volume.SharedVolumeTest):

    race = 'attach-delete-late'
    title = 'delete(B), disconnecting, with attach(C)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        b, c = self.server('B', volume), self.server('C')

        # B is the last user, and has decided to disconnect.
        stopped = self.gates.hold('disconnect', instance=b)
        self.delete(b)
        stopped.wait()

        # C must not connect what B is about to remove.
        self.attach(c, volume)
        self.wait_for('connected', c, behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestAttachDetach(shared_volume.SharedVolumeTest):

    race = 'attach-detach'
    title = 'attach(C) with detach(B)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        b, c = self.server('B', volume), self.server('C')

        stopped = self.gates.hold('cinder.attachment_complete', instance=c)
        self.attach(c, volume)
        stopped.wait()

        # For Cinder the whole volume is attaching.
        self.assert_refused(self.detach, b, volume)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)
        self.assertEqual([volume], self.mapped(b))


@ddt.ddt
class TestAttachDetachForced(shared_volume.SharedVolumeTest):

    race = 'attach-detach-forced'
    title = 'attach(C) with detach(B), status reset'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        b, c = self.server('B', volume), self.server('C')

        stopped = self.gates.hold('cinder.attachment_complete', instance=c)
        self.attach(c, volume)
        stopped.wait()

        self.reset_status(volume)
        self.detach(b, volume).wait(behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)


@ddt.ddt
class TestAttachDetachLate(shared_volume.SharedVolumeTest):

    race = 'attach-detach-late'
    title = 'detach(B), disconnecting, with attach(C)'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        b, c = self.server('B', volume), self.server('C')

        stopped = self.gates.hold('disconnect', instance=b)
        self.detach(b, volume)
        stopped.wait()

        # Cinder reserves nothing on a volume that is detaching.
        self.assert_refused(self.attach, c, volume)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)
        self.assertEqual([], self.mapped(c))


@ddt.ddt
class TestAttachDetachLateForced(shared_volume.SharedVolumeTest):

    race = 'attach-detach-late-forced'
    title = 'detach(B), disconnecting, with attach(C), status reset'

    @ddt.data(*EACH_SHARED_TARGETS)
    def test_race(self, shared_targets):
        volume = self.volume(shared_targets)
        b, c = self.server('B', volume), self.server('C')

        stopped = self.gates.hold('disconnect', instance=b)
        self.detach(b, volume)
        stopped.wait()

        self.reset_status(volume)
        self.attach(c, volume)
        self.wait_for('connected', c, behind=stopped)

        stopped.release()
        self.conclude('shared_targets=%s' % shared_targets)
