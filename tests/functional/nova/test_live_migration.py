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

"""Bug 2048837: live migrations, and who disconnects meanwhile.

See ``test_bug_2048837`` for how to read these tests. A moves from ``HOST`` to
``DESTINATION``; at ``guest.migrate`` it is connected on both.
"""

from harness.nova import moves


class TestLiveMigrateArriveDelete(moves.MovesTest):

    race = 'live-migrate-arrive-delete'
    title = 'live migration of A arrives, delete(B) at the destination'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        b = self.server('B', volume, self.DESTINATION)

        stopped = self.gates.hold('guest.migrate', instance=a)
        self.live_migrate(a)
        stopped.wait()

        # For Nova A is at the source still, but its guest is to run here.
        self.delete(b).wait()

        stopped.release()
        self.conclude()


class TestLiveMigrateArriveRestartDelete(moves.MovesTest):

    race = 'live-migrate-arrive-restart-delete'
    title = ('live migration of A arrives, nova-compute restarts, delete(B) '
             'at the destination')

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        b = self.server('B', volume, self.DESTINATION)

        stopped = self.gates.hold('guest.migrate', instance=a)
        self.live_migrate(a)
        stopped.wait()

        # The process that connected A here is not there any more.
        self.restart_host(self.DESTINATION)
        self.delete(b).wait()

        stopped.release()
        self.conclude()


class TestLiveMigrateLeave(moves.MovesTest):

    race = 'live-migrate-leave'
    title = 'live migration of A, the only user at the source'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)

        self.live_migrate(a).wait()

        self.assertFalse(self.ledger.is_connected(self.HOST, volume))
        self.conclude()
        self.assertEqual(self.DESTINATION, self.host_of(a))


class TestLiveMigrateLeaveDelete(moves.MovesTest):

    race = 'live-migrate-leave-delete'
    title = 'live migration of A has left, delete(B) at the source'

    def test_race(self):
        volume = self.volume(False)
        a, b = self.server('A', volume), self.server('B', volume)

        # A's guest runs at the destination, and A has decided to keep the
        # connection at the source. For Nova A is at the source still.
        stopped = self.gates.hold('cinder.attachment_delete', instance=a)
        self.live_migrate(a)
        stopped.wait()

        # B is the last one that uses the host connection.
        self.delete(b).wait()

        stopped.release()
        self.conclude()
        self.assertEqual(self.DESTINATION, self.host_of(a))


class TestLiveMigrateRollback(moves.MovesTest):

    race = 'live-migrate-rollback'
    title = 'live migration of A rolls back'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)

        self.fail_migration(a)
        migration = self.live_migrate(a)
        migration.wait()

        self.assertFalse(self.ledger.is_connected(self.DESTINATION, volume))
        self.conclude(may_fail=migration)
        self.assertEqual(self.HOST, self.host_of(a))


class TestLiveMigrateRollbackSharerThere(moves.MovesTest):

    race = 'live-migrate-rollback-sharer-at-destination'
    title = 'live migration of A rolls back, B stays at the destination'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        self.server('B', volume, self.DESTINATION)

        # The destination disconnects A, which Nova says is elsewhere.
        self.fail_migration(a)
        migration = self.live_migrate(a)
        migration.wait()

        self.conclude(may_fail=migration)


class TestLiveMigrateRollbackSharerHere(moves.MovesTest):

    race = 'live-migrate-rollback-sharer-at-source'
    title = 'live migration of A rolls back, B stays at the source'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        self.server('B', volume)

        # At the destination there was nobody but A.
        self.fail_migration(a)
        migration = self.live_migrate(a)
        migration.wait()

        self.conclude(may_fail=migration)


class TestLiveMigrateRollbackLost(moves.MovesTest):

    race = 'live-migrate-rollback-lost'
    title = ('live migration of A rolls back, the destination is not told, '
             'delete(B) there')

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        b = self.server('B', volume, self.DESTINATION)

        # The source swallows the error: it has to go on.
        self.lose_rpc(self.HOST, 'remove_volume_connection')
        self.fail_migration(a)
        migration = self.live_migrate(a)
        migration.wait()
        self.assertTrue(self.ledger.is_connected(self.DESTINATION, volume))

        # A will never leave the destination, so B has to be the last.
        self.forget(self.DESTINATION, volume, a)
        self.delete(b).wait()

        self.conclude(may_fail=migration)


class TestPreLiveMigrateFailsSharerThere(moves.MovesTest):

    race = 'pre-live-migrate-fails-sharer-at-destination'
    title = 'live migration of A fails early, B stays at the destination'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        self.server('B', volume, self.DESTINATION)

        # A's volume is connected by then.
        self.break_network(self.DESTINATION)
        migration = self.live_migrate(a)
        migration.wait()

        self.conclude(may_fail=migration)


class TestPreLiveMigrateFailsSharerHere(moves.MovesTest):

    race = 'pre-live-migrate-fails-sharer-at-source'
    title = 'live migration of A fails early, B stays at the source'

    def test_race(self):
        volume = self.volume(False)
        a = self.server('A', volume)
        self.server('B', volume)

        self.break_network(self.DESTINATION)
        migration = self.live_migrate(a)
        migration.wait()

        self.conclude(may_fail=migration)
