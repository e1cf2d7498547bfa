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


"""The status that a volume has because of its attachments."""

import typing

#: Each state of an attachment with the volume status that it stands for. The
#: first one that any attachment of a volume is in decides.
_BY_PRECEDENCE = (
    ('attached', 'in-use'),
    ('attaching', 'attaching'),
    ('detaching', 'detaching'),
    ('reserved', 'reserved'),
)

#: Volume statuses that say what the attachments are and nothing else (None:
#: no status was ever given). In any other one another operation is going on,
#: or has failed, and has the say.
_OWNED = frozenset((
    None, 'available', 'reserved', 'attaching', 'in-use', 'detaching',
    'error_attaching', 'error_detaching'))

#: Volume statuses of which nothing may be changed any more.
_BEING_DELETED = frozenset((
    'deleting', 'deleted', 'unmanaging', 'error_managing_deleting'))

#: Values of migration_status with which no migration is going on.
_NOT_MIGRATING = frozenset((None, '', 'success', 'error'))


def from_attachments(
        attach_statuses: typing.Iterable[str]) -> typing.Tuple[str, str]:
    """What the attachments of a volume say about it.

    An attachment in an error state may still be connected at the backend, so
    a volume that has no others counts as attached.

    :param attach_statuses: the attach_status of each attachment
    :returns: status and attach_status of the volume
    """
    states = set(attach_statuses)
    if not states:
        return 'available', 'detached'
    for attach_status, status in _BY_PRECEDENCE:
        if attach_status in states:
            return status, attach_status
    return 'in-use', 'attached'


def after_detach(
        status: typing.Optional[str],
        migration_status: typing.Optional[str],
        attach_statuses: typing.Iterable[str]) -> typing.Dict[str, str]:
    """What changes on a volume when an attachment of it is gone.

    :param status: the volume's status
    :param migration_status: the volume's migration_status
    :param attach_statuses: the attach_status of each attachment that is left
    :returns: new values for status and attach_status; without status if that
        is not for the attachments to say, empty if the volume is being
        deleted
    """
    if status in _BEING_DELETED:
        return {}
    new_status, attach_status = from_attachments(attach_statuses)
    updates = {'attach_status': attach_status}
    if status in _OWNED and migration_status in _NOT_MIGRATING:
        updates['status'] = new_status
    return updates
