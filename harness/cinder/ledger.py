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


"""What Cinder published about its volumes, checked at every commit."""

import collections

import fixtures

#: The statuses that a volume passes while it is being deleted.
_DELETING = ('deleting', 'deleted', 'error_deleting')

#: What the attachments of a volume say about it: the first attach_status
#: that one of them has decides.
_BY_ATTACHMENTS = (
    ('attached', ('in-use', 'attached')),
    ('attaching', ('attaching', 'attaching')),
    ('detaching', ('detaching', 'detaching')),
    ('reserved', ('reserved', 'reserved')),
)
_WITHOUT_ATTACHMENTS = ('available', 'detached')

#: A volume as the database shows it. ``attachments`` maps the id of each
#: attachment that is not deleted to its attach_status.
Volume = collections.namedtuple(
    'Volume', 'status attach_status attachments')


class Ledger(fixtures.Fixture):
    """Reads volumes and attachments after each commit and judges them.

    Checked at each commit:

    * ``available`` is not published while an attachment is there;
    * a volume that is being deleted stays so.

    :meth:`rest` checks, when a test says that nothing goes on any more, that
    a volume's status is the one that its attachments give it.

    What is published becomes part of the gates' trace, at the point
    ``published``.

    :param gates: the test's :class:`harness.gates.Gates`
    :param engine: the engine whose commits are read
    :ivar violations: one line each, in the order in which they happened
    :ivar removed: ids of the attachments that were removed from volumes
    """

    def __init__(self, gates, engine):
        super().__init__()
        self._gates = gates
        self._dialect = engine.dialect

    def _setUp(self):
        self.violations = []
        self.removed = set()
        self._volumes = {}
        commit = self._dialect.do_commit

        def commit_and_read(connection):
            commit(connection)
            self._read(connection)

        self._dialect.do_commit = commit_and_read
        self.addCleanup(setattr, self._dialect, 'do_commit', commit)

    def volume(self, volume_id):
        """The last published state of a volume.

        :param volume_id: id of a volume
        :returns: a :class:`Volume`, None if it was never there
        """
        return self._volumes.get(volume_id)

    def wait_for(self, volume_id, status):
        """Wait until a volume's status is published.

        :param volume_id: id of a volume
        :param status: e.g. ``available``
        :raises DeadlineReached: if it is not
        """
        self._gates.wait_until(
            lambda: (volume_id in self._volumes and
                     self._volumes[volume_id].status == status),
            'status %s of volume %s' % (
                status, self._gates.names.get(volume_id, volume_id)))

    def rest(self, volume_id):
        """Check a volume that no operation works on.

        :param volume_id: id of a volume
        """
        volume = self._volumes[volume_id]
        if volume.status == 'deleted':
            return
        states = volume.attachments.values()
        # One in an error state may still be connected at the backend.
        expected = next(
            (statuses for state, statuses in _BY_ATTACHMENTS
             if state in states),
            _BY_ATTACHMENTS[0][1] if states else _WITHOUT_ATTACHMENTS)
        if expected != (volume.status, volume.attach_status):
            self._violation(volume_id, volume, 'should be %s/%s' % expected)

    def _read(self, connection):
        cursor = connection.cursor()
        attachments = collections.defaultdict(dict)
        cursor.execute('SELECT volume_id, id, attach_status '
                       'FROM volume_attachment WHERE deleted = 0')
        for volume_id, attachment_id, attach_status in cursor.fetchall():
            attachments[volume_id][attachment_id] = attach_status
        cursor.execute('SELECT id, status, attach_status FROM volumes')
        for volume_id, status, attach_status in cursor.fetchall():
            self._published(volume_id, Volume(
                status, attach_status, attachments[volume_id]))
        cursor.close()

    def _published(self, volume_id, volume):
        before = self._volumes.get(volume_id)
        if volume == before:
            return
        self._volumes[volume_id] = volume
        if before is not None and volume.status != 'deleted':
            self.removed.update(
                set(before.attachments) - set(volume.attachments))
        self._gates.reach(
            'published', volume=volume_id,
            status='%s/%s' % volume[:2],
            attachments=self._names(volume.attachments))
        if volume.status == 'available' and volume.attachments:
            self._violation(volume_id, volume, 'has an attachment')
        if (before is not None and before.status in _DELETING and
                volume.status not in _DELETING):
            self._violation(volume_id, volume, 'was %s' % before.status)

    def _violation(self, volume_id, volume, why):
        self.violations.append('volume %s is %s/%s with attachments %s: %s' % (
            self._gates.names.get(volume_id, volume_id), volume.status,
            volume.attach_status, self._names(volume.attachments), why))

    def _names(self, attachments):
        return ', '.join(sorted(
            '%s %s' % (self._gates.names.get(attachment, attachment), state)
            for attachment, state in attachments.items())) or 'none'
