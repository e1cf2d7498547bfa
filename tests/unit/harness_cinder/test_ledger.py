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


import sqlite3
import types
import unittest

from harness.cinder import ledger
from harness import gates

VOLUMES = 'CREATE TABLE volumes (id TEXT, status TEXT, attach_status TEXT)'
ATTACHMENTS = ('CREATE TABLE volume_attachment '
               '(id TEXT, volume_id TEXT, attach_status TEXT, deleted INT)')


class LedgerTest(unittest.TestCase):
    """The ledger on a database that has the columns it reads."""

    def setUp(self):
        super().setUp()
        self.connection = sqlite3.connect(':memory:')
        self.addCleanup(self.connection.close)
        self.connection.execute(VOLUMES)
        self.connection.execute(ATTACHMENTS)
        self.dialect = types.SimpleNamespace(
            do_commit=lambda connection: connection.commit())
        self.gates = gates.Gates()
        self.gates.setUp()
        self.addCleanup(self.gates.cleanUp)
        self.gates.names.update(v='V', a='A', b='B')
        self.ledger = ledger.Ledger(
            self.gates, types.SimpleNamespace(dialect=self.dialect))
        self.ledger.setUp()
        self.addCleanup(self.ledger.cleanUp)
        self.connection.execute(
            "INSERT INTO volumes VALUES ('v', 'available', 'detached')")
        self.commit()

    def commit(self):
        self.dialect.do_commit(self.connection)

    def publish(self, status, attach_status, **attachments):
        """Commit a state of the volume and its attachments."""
        self.connection.execute(
            'UPDATE volumes SET status = ?, attach_status = ?',
            (status, attach_status))
        self.connection.execute('UPDATE volume_attachment SET deleted = 1')
        for name, state in attachments.items():
            self.connection.execute(
                "INSERT INTO volume_attachment VALUES (?, 'v', ?, 0)",
                (name, state))
        self.commit()

    def test_life_of_a_volume(self):
        self.publish('reserved', 'detached')
        self.publish('reserved', 'reserved', a='reserved')
        self.publish('attaching', 'attaching', a='attaching')
        self.publish('in-use', 'attached', a='attached')
        self.ledger.rest('v')
        self.publish('available', 'detached')
        self.ledger.rest('v')
        self.publish('deleting', 'detached')
        self.publish('deleted', 'detached')
        self.ledger.rest('v')
        self.assertEqual([], self.ledger.violations)
        self.assertEqual({'a'}, self.ledger.removed)

    def test_available_with_an_attachment(self):
        self.publish('available', 'detached', a='reserved')
        self.assertEqual(
            ['volume V is available/detached with attachments A reserved: '
             'has an attachment'], self.ledger.violations)

    def test_available_for_a_moment(self):
        self.publish('available', 'detached', a='attached')
        self.publish('in-use', 'attached', a='attached')
        self.ledger.rest('v')
        self.assertEqual(1, len(self.ledger.violations))

    def test_back_from_deleting(self):
        self.publish('deleting', 'detached')
        self.publish('available', 'detached')
        self.assertEqual(
            ['volume V is available/detached with attachments none: '
             'was deleting'], self.ledger.violations)

    def test_deletion_that_failed(self):
        self.publish('deleting', 'detached')
        self.publish('error_deleting', 'detached')
        self.assertEqual([], self.ledger.violations)

    def test_rest_compares_with_all_attachments(self):
        self.publish('in-use', 'attached', a='reserved', b='attaching')
        self.assertEqual([], self.ledger.violations)
        self.ledger.rest('v')
        self.assertEqual(
            ['volume V is in-use/attached with attachments A reserved, '
             'B attaching: should be attaching/attaching'],
            self.ledger.violations)

    def test_rest_without_attachments(self):
        self.publish('in-use', 'attached')
        self.ledger.rest('v')
        self.assertEqual(1, len(self.ledger.violations))

    def test_rest_with_an_attachment_in_error(self):
        self.publish('in-use', 'attached', a='error_detaching')
        self.ledger.rest('v')
        self.assertEqual([], self.ledger.violations)

    def test_attachments_of_a_deleted_volume_were_not_removed(self):
        self.publish('reserved', 'reserved', a='reserved')
        self.publish('deleted', 'reserved')
        self.assertEqual(set(), self.ledger.removed)

    def test_wait_for(self):
        self.ledger.wait_for('v', 'available')
        self.assertEqual('detached', self.ledger.volume('v').attach_status)

    def test_nothing_is_read_before_the_commit(self):
        self.connection.execute("UPDATE volumes SET status = 'in-use'")
        self.assertEqual('available', self.ledger.volume('v').status)
        self.commit()
        self.assertEqual('in-use', self.ledger.volume('v').status)

    def test_clean_up(self):
        self.ledger.cleanUp()
        self.publish('available', 'detached', a='reserved')
        self.assertEqual([], self.ledger.violations)
        self.ledger.setUp()
