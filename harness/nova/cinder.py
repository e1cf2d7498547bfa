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

"""A Cinder for Nova's tests that answers as the real one does."""

import types

from cinderclient import exceptions as cinder_exceptions
import fixtures

from harness.nova import volumes

# Volumes whose targets may be shared have to name the backend's service.
SERVICE_UUID = '8d3f5ab8-6d3c-4f0b-8e2a-5b7a4b1f6d11'


class Cinder(fixtures.Fixture):
    """Cinder behind Nova's own ``nova.volume.cinder.API``.

    The client library is what is replaced, so that Nova's translations,
    retries and error handling are those of the release under test. Each
    request is a point ``cinder.<method of nova.volume.cinder.API>`` with the
    volume and, where the request is about an attachment, its instance.

    :param gates: :class:`harness.gates.Gates` of the test
    :param slow: function that is told the name of each point before it
    :ivar volumes: :class:`harness.nova.volumes.Volumes`
    """

    def __init__(self, gates, slow=lambda point: None):
        super().__init__()
        self._gates = gates
        self._slow = slow
        self.volumes = volumes.Volumes()

    def _setUp(self):
        def cinderclient(context, microversion=None, *args, **kwargs):
            return types.SimpleNamespace(
                volumes=_VolumeManager(self, microversion),
                attachments=_AttachmentManager(self))

        self.useFixture(fixtures.MonkeyPatch(
            'nova.volume.cinder.cinderclient', cinderclient))
        self.useFixture(fixtures.MonkeyPatch(
            'nova.volume.cinder.is_microversion_supported',
            lambda context, microversion: None))

    def request(self, method, function, *args, volume=None, attachment=None):
        """Serve one request.

        :param method: its name in ``nova.volume.cinder.API``
        :param function: the method of :class:`harness.nova.volumes.Volumes`
            that knows the answer
        :param args: its arguments
        :param volume: ID of the volume that the request names
        :param attachment: ID of the attachment that the request names
        :returns: what the function returns
        :raises: the client library's exception for what the function raises
        """
        where = {'volume': volume}
        if attachment:
            where = self._about(attachment)
        point = 'cinder.%s' % method
        self._slow(point)
        self._gates.reach(point, **where)
        try:
            return function(*args)
        except volumes.NotFound as error:
            raise cinder_exceptions.NotFound(404, str(error))
        except volumes.Refused as error:
            raise cinder_exceptions.BadRequest(400, str(error))

    def _about(self, attachment_id):
        try:
            attachment = self.volumes.get_attachment(attachment_id)
        except volumes.NotFound:
            return {'attachment': attachment_id}
        return {'volume': attachment.volume_id,
                'instance': attachment.instance}


class _VolumeManager:
    """``client.volumes``."""

    def __init__(self, cinder, microversion):
        self._cinder = cinder
        self._microversion = _version(microversion)

    def get(self, volume_id):
        volume = self._request('get', 'get', volume_id)
        view = {
            'id': volume.id, 'name': 'shared', 'description': None,
            'status': volume.status, 'size': 1, 'bootable': 'false',
            'availability_zone': 'nova', 'created_at': None,
            'multiattach': volume.multiattach, 'volume_type': None,
            'snapshot_id': None, 'metadata': {}, 'migration_status': None,
            'attachments': [
                {'id': volume.id, 'volume_id': volume.id,
                 'attachment_id': attachment.id,
                 'server_id': attachment.instance,
                 'host_name': attachment.connector.get('host'),
                 'device': attachment.mountpoint}
                for attachment in volume.listed]}
        if self._microversion >= (3, 48):
            view['service_uuid'] = SERVICE_UUID
            view['shared_targets'] = volume.shared_targets
            if volume.shared_targets is None and self._microversion < (3, 69):
                view['shared_targets'] = True
        return types.SimpleNamespace(**view)

    def begin_detaching(self, volume_id):
        self._request('begin_detaching', 'begin_detaching', volume_id)

    def roll_detaching(self, volume_id):
        self._request('roll_detaching', 'roll_detaching', volume_id)

    def delete(self, volume_id):
        self._request('delete', 'delete', volume_id)

    def get_encryption_metadata(self, volume_id):
        volume = self._request(
            'get_volume_encryption_metadata', 'get', volume_id)
        return dict(volume.encryption)

    def _request(self, method, function, volume_id):
        return self._cinder.request(
            method, getattr(self._cinder.volumes, function), volume_id,
            volume=volume_id)


class _AttachmentManager:
    """``client.attachments``."""

    def __init__(self, cinder):
        self._cinder = cinder

    def create(self, volume_id, connector, instance_id=None):
        attachment = self._cinder.request(
            'attachment_create', self._cinder.volumes.reserve, volume_id,
            instance_id, volume=volume_id)
        if connector:
            attachment = self._cinder.volumes.connect(attachment.id, connector)
        return _view(attachment)

    def update(self, attachment_id, connector):
        return _Resource(self._cinder.request(
            'attachment_update', self._cinder.volumes.connect, attachment_id,
            connector, attachment=attachment_id))

    def complete(self, attachment_id):
        self._cinder.request(
            'attachment_complete', self._cinder.volumes.complete,
            attachment_id, attachment=attachment_id)

    def show(self, attachment_id):
        return _Resource(self._cinder.request(
            'attachment_get', self._cinder.volumes.get_attachment,
            attachment_id, attachment=attachment_id))

    def list(self, search_opts):
        found = self._cinder.request(
            'attachment_get_all', self._cinder.volumes.get_attachments,
            volume=search_opts.get('volume_id'))
        return [_Resource(attachment) for attachment in found
                if search_opts.get('volume_id') in (
                    None, attachment.volume_id) and
                search_opts.get('instance_id') in (None, attachment.instance)]

    def delete(self, attachment_id):
        self._cinder.request(
            'attachment_delete', self._cinder.volumes.disconnect,
            attachment_id, attachment=attachment_id)


class _Resource:
    """What the client library makes of an answer."""

    def __init__(self, attachment):
        self._attachment = attachment

    def to_dict(self):
        return _view(self._attachment)


def _view(attachment):
    return {'id': attachment.id, 'status': attachment.status,
            'instance': attachment.instance,
            'volume_id': attachment.volume_id, 'attach_mode': 'rw',
            'attached_at': '', 'detached_at': '',
            'connection_info': _connection_info(attachment)}


def _connection_info(attachment):
    if not attachment.connector:
        return {}
    return {'driver_volume_type': 'iscsi', 'attachment_id': attachment.id,
            'volume_id': attachment.volume_id, 'target_discovered': False,
            'target_portal': '127.0.0.1:3260', 'target_lun': 1,
            'target_iqn': 'iqn.2000-01.org.example:%s' % attachment.volume_id,
            'access_mode': 'rw', 'encrypted': attachment.encrypted,
            'qos_specs': None, 'cacheable': False}


def _version(microversion):
    return tuple(int(part) for part in (microversion or '3.0').split('.'))
