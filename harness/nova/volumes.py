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

"""How Cinder handles volumes and attachments, as far as Nova can see.

The rules are those of ``cinder.volume.api.API``, of its attachments API and
of ``volume_detached`` in its database layer. They are the same in all
releases that matter here, and no more is modelled than Nova's attaching,
detaching and deleting needs.
"""

import collections
import uuid

RESERVED, ATTACHING, ATTACHED = 'reserved', 'attaching', 'attached'

#: The volume's status for the most advanced attachment that it has left.
_STATUSES = collections.OrderedDict([
    (ATTACHED, 'in-use'), (ATTACHING, 'attaching'), (RESERVED, 'reserved')])


class NotFound(Exception):
    """There is no such volume or attachment: 404."""


class Refused(Exception):
    """The volume's status forbids it: 400."""


class Attachment:
    """One attachment of a volume to an instance.

    :ivar id: ID of the attachment
    :ivar volume_id: ID of the volume
    :ivar instance: UUID of the instance
    :ivar status: ``reserved``, ``attaching`` or ``attached``
    :ivar connector: what the host said about itself, None while reserved
    :ivar mountpoint: name of the device in the guest
    :ivar encrypted: whether the volume is encrypted
    """

    def __init__(self, volume_id, instance):
        self.id = str(uuid.uuid4())
        self.volume_id = volume_id
        self.instance = instance
        self.status = RESERVED
        self.connector = None
        self.mountpoint = None
        self.encrypted = False


class Volume:
    """One volume.

    :ivar id: ID of the volume
    :ivar multiattach: whether it may have several attachments
    :ivar shared_targets: True, False or None (not known: always lock)
    :ivar status: e.g. ``in-use``
    :ivar attach_status: e.g. ``attached``
    :ivar attachments: ``{id: Attachment}`` in the order of their making
    :ivar encryption: what Cinder tells about how the volume is encrypted,
        empty if it is not
    """

    def __init__(self, multiattach, shared_targets):
        self.id = str(uuid.uuid4())
        self.multiattach = multiattach
        self.shared_targets = shared_targets
        self.status = 'available'
        self.attach_status = 'detached'
        self.attachments = collections.OrderedDict()
        self.encryption = {}

    @property
    def listed(self):
        """The attachments that a GET of the volume shows: completed ones."""
        return [attachment for attachment in self.attachments.values()
                if attachment.status == ATTACHED]


class Volumes:
    """All volumes of a Cinder.

    Each method is one request, and none of them waits for anything.
    """

    def __init__(self):
        self._volumes = {}

    def create(self, multiattach=False, shared_targets=False):
        """Create a volume.

        :param multiattach: whether it may have several attachments
        :param shared_targets: True, False or None
        :returns: the :class:`Volume`
        """
        volume = Volume(multiattach, shared_targets)
        self._volumes[volume.id] = volume
        return volume

    def get(self, volume_id):
        """Find a volume.

        :param volume_id: ID of the volume
        :returns: the :class:`Volume`
        :raises NotFound: if there is none
        """
        try:
            return self._volumes[volume_id]
        except KeyError:
            raise NotFound('Volume %s could not be found.' % volume_id)

    def get_attachment(self, attachment_id):
        """Find an attachment.

        :param attachment_id: ID of the attachment
        :returns: the :class:`Attachment`
        :raises NotFound: if there is none
        """
        for volume in self._volumes.values():
            if attachment_id in volume.attachments:
                return volume.attachments[attachment_id]
        raise NotFound('Volume attachment could not be found with filter: '
                       'attachment_id = %s.' % attachment_id)

    def get_attachments(self):
        """List all attachments.

        :returns: list of :class:`Attachment`
        """
        return [attachment for volume in self._volumes.values()
                for attachment in volume.attachments.values()]

    def delete(self, volume_id):
        """Delete a volume.

        :param volume_id: ID of the volume
        :raises NotFound: if there is none
        :raises Refused: if it is in use
        """
        volume = self.get(volume_id)
        if (volume.status not in ('available', 'error') or
                volume.attach_status == ATTACHED):
            raise Refused('Volume status must be available or error, and it '
                          'must not be attached, but is %s.' % volume.status)
        del self._volumes[volume_id]

    def lose(self, volume_id):
        """Let a volume be gone with all its attachments, in any status.

        :param volume_id: ID of the volume
        :raises NotFound: if there is none
        """
        self.get(volume_id)
        del self._volumes[volume_id]

    def reserve(self, volume_id, instance):
        """Create an attachment without a connector.

        :param volume_id: ID of the volume
        :param instance: UUID of the instance
        :returns: the :class:`Attachment`
        :raises NotFound: if there is no such volume
        :raises Refused: if its status forbids it. An instance that has an
            attachment already (it moves, or is shelved) gets another one.
        """
        volume = self.get(volume_id)
        free = ('available', 'downloading') + (
            ('in-use',) if volume.multiattach else ())
        if volume.status in free:
            volume.status = 'reserved'
        elif not (volume.status in ('in-use', 'reserved') and
                  any(attachment.instance == instance
                      for attachment in volume.attachments.values())):
            raise Refused('Volume %s status must be %s to reserve, but the '
                          'current status is %s.' % (
                              volume_id, ' or '.join(free), volume.status))
        attachment = Attachment(volume_id, instance)
        attachment.encrypted = bool(volume.encryption)
        volume.attachments[attachment.id] = attachment
        return attachment

    def connect(self, attachment_id, connector):
        """Give an attachment its connector, and get the connection_info.

        :param attachment_id: ID of the attachment
        :param connector: dict of the host's properties
        :returns: the :class:`Attachment`
        :raises NotFound: if there is no such attachment
        """
        attachment = self.get_attachment(attachment_id)
        volume = self.get(attachment.volume_id)
        attachment.status = ATTACHING
        attachment.connector = dict(connector)
        attachment.mountpoint = connector.get('mountpoint')
        volume.status = volume.attach_status = ATTACHING
        return attachment

    def complete(self, attachment_id):
        """Say that the host has connected the volume.

        :param attachment_id: ID of the attachment
        :raises NotFound: if there is no such attachment
        """
        attachment = self.get_attachment(attachment_id)
        volume = self.get(attachment.volume_id)
        attachment.status = ATTACHED
        volume.status, volume.attach_status = 'in-use', ATTACHED

    def disconnect(self, attachment_id):
        """Delete an attachment.

        :param attachment_id: ID of the attachment
        :raises NotFound: if there is no such attachment
        """
        attachment = self.get_attachment(attachment_id)
        volume = self.get(attachment.volume_id)
        del volume.attachments[attachment_id]
        left = {other.status for other in volume.attachments.values()}
        volume.status, volume.attach_status = next(
            ((status, attach_status)
             for attach_status, status in _STATUSES.items()
             if attach_status in left), ('available', 'detached'))

    def begin_detaching(self, volume_id):
        """Mark the whole volume as being detached from some instance.

        :param volume_id: ID of the volume
        :raises NotFound: if there is no such volume
        :raises Refused: if it is not in use, or being detached already
        """
        volume = self.get(volume_id)
        if (volume.status, volume.attach_status) != ('in-use', ATTACHED):
            raise Refused("Unable to detach volume. Volume status must be "
                          "'in-use' and attach_status must be 'attached' to "
                          "detach.")
        volume.status = 'detaching'

    def roll_detaching(self, volume_id):
        """Take ``begin_detaching`` back.

        :param volume_id: ID of the volume
        :raises NotFound: if there is no such volume
        """
        volume = self.get(volume_id)
        if volume.status == 'detaching':
            volume.status = 'in-use'

    def reset_status(self, volume_id, status, attach_status):
        """What an administrator can do to any volume.

        :param volume_id: ID of the volume
        :param status: the new status
        :param attach_status: the new attach_status
        :raises NotFound: if there is no such volume
        """
        volume = self.get(volume_id)
        volume.status, volume.attach_status = status, attach_status
