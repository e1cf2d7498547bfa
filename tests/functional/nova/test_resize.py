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

"""Bug 2048837: servers that arrive, leave and come back without their guest.

See ``test_bug_2048837`` for how to read these tests. A moves from ``HOST`` to
``DESTINATION``, by a migration, or because it is unshelved there.
"""

from harness.nova import moves


class TestMigrateLeaveDelete(moves.MovesTest):

    race = 'migrate-leave-delete'
    title = 'migration of A has left, delete(B) at the source'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        # A's guest is gone and A has decided, but Cinder still lists A.
        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        self.migrate(a)
        stopped.wait()

        self.delete(b).wait()

        stopped.release()
        self.conclude()
        self.assertEqual(self.DESTINATION, self.host_of(a))


class TestMigrateArriveDelete(moves.MovesTest):

    race = 'migrate-arrive-delete'
    title = 'migration of A arrives, delete(B) at the destination'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        b = self.server('B', volume, self.DESTINATION)

        # A's guest runs at the destination. Cinder does not list A yet.
        stopped = self.gates.hold('cinder.attachment_complete', instance=a)
        self.migrate(a)
        stopped.wait()

        self.delete(b).wait()

        stopped.release()
        self.conclude()


class TestMigrateConfirmDelete(moves.MovesTest):

    race = 'migrate-confirm-delete'
    title = 'migration of A confirmed, then delete(B) at the source'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        self.migrate(a).wait()
        self.confirm_resize(a).wait()
        self.assertTrue(self.ledger.is_connected(self.HOST, volume))

        # A is at the destination for good.
        self.delete(b).wait()
        self.assertFalse(self.ledger.is_connected(self.HOST, volume))
        self.conclude()


class TestMigrateRevert(moves.MovesTest):

    race = 'migrate-revert'
    title = 'migration of A reverted, B stays at the source'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        self.server('B', volume)

        self.migrate(a).wait()
        self.revert_resize(a).wait()

        self.assertFalse(self.ledger.is_connected(self.DESTINATION, volume))
        self.conclude()
        self.assertEqual(self.HOST, self.host_of(a))


class TestMigrateRevertDelete(moves.MovesTest):

    race = 'migrate-revert-delete'
    title = 'migration of A is reverted, delete(B) at the destination'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        b = self.server('B', volume, self.DESTINATION)
        self.migrate(a).wait()

        # A has left the destination again, but Cinder still lists A.
        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        self.revert_resize(a)
        stopped.wait()

        self.delete(b).wait()

        stopped.release()
        self.conclude()


class TestMigrateRevertArriveDelete(moves.MovesTest):

    race = 'migrate-revert-arrive-delete'
    title = 'migration of A is reverted, A is back, delete(B) at the source'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)
        self.migrate(a).wait()

        # A's guest runs at the source again. Cinder does not list A yet.
        stopped = self.gates.hold('connected', instance=a, host=self.HOST)
        self.revert_resize(a)
        stopped.wait()

        self.delete(b).wait(behind=stopped)

        stopped.release()
        self.conclude()


class TestResizeSameHostDelete(moves.MovesTest):

    race = 'resize-same-host-delete'
    title = 'resize of A on the same host, delete(B)'

    def test_race(self):
        self.flags(allow_resize_to_same_host=True)
        self.disable_host(self.DESTINATION)
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        # A left the volume and came back. Cinder does not list A yet.
        stopped = self.gates.hold('cinder.attachment_complete', instance=a)
        self.resize(a)
        stopped.wait()

        self.delete(b).wait()

        stopped.release()
        self.conclude()
        self.assertEqual(self.HOST, self.host_of(a))


class TestUnshelveDeleteLate(moves.MovesTest):

    race = 'unshelve-delete-late'
    title = 'delete(B), disconnecting, A is unshelved there'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        b = self.server('B', volume, self.DESTINATION)
        self.shelve_offload(a).wait()
        self.disable_host(self.HOST)

        # B was the last one that used the host connection.
        stopped = self.gates.hold('disconnect', instance=b)
        self.delete(b)
        stopped.wait()

        self.unshelve(a)
        self.wait_for('connected', a, behind=stopped, host=self.DESTINATION)

        stopped.release()
        self.conclude()
        self.assertEqual(self.DESTINATION, self.host_of(a))
