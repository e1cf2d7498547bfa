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


"""Named points inside Cinder, made by wrapping real functions.

A point's name says which function and whether the thread is about to call
it (``... called``) or came back from it (``... returned``).
"""

import functools

from cinder import objects
from cinder.volume import api
from cinder.volume import rpcapi
from cinder.volume import volume_utils
import fixtures

from harness.cinder import compat

#: (owner of the function, its name, name of the point, index of the argument
#: that is the volume, index of the argument that is the attachment)
_POINTS = (
    (api.API, 'attachment_delete', 'api.attachment_delete', None, 2),
    (rpcapi.VolumeAPI, 'attachment_delete', 'rpc.attachment_delete', 3, 2),
    (compat.DATABASE, 'volume_detached', 'db.volume_detached', 1, 2),
    (compat.DATABASE, 'volume_attached', 'db.volume_attached', None, 1),
    (objects.VolumeAttachmentList, 'get_all_by_volume_id',
     'attachments of volume', 2, None),
)


class Points(fixtures.Fixture):
    """Wraps Cinder's functions so that they are points of the gates.

    :param gates: the test's :class:`harness.gates.Gates`
    """

    def __init__(self, gates):
        super().__init__()
        self._gates = gates

    def _setUp(self):
        for owner, name, point, volume, attachment in _POINTS:
            self._wrap(owner, name, self._called_and_returned(
                point, volume, attachment))
        self._wrap(volume_utils, 'notify_about_volume_usage',
                   self._notification)

    def _wrap(self, owner, name, decorate):
        plain = vars(owner)[name]
        if isinstance(plain, classmethod):
            wrapped = classmethod(decorate(plain.__func__))
        else:
            wrapped = decorate(plain)
        setattr(owner, name, wrapped)
        self.addCleanup(setattr, owner, name, plain)

    def _called_and_returned(self, point, volume, attachment):
        def decorate(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                where = {}
                if volume is not None:
                    where['volume'] = _id(args[volume])
                if attachment is not None:
                    where['attachment'] = _id(args[attachment])
                self._gates.reach(point + ' called', **where)
                result = function(*args, **kwargs)
                self._gates.reach(point + ' returned', **where)
                return result
            return wrapper
        return decorate

    def _notification(self, function):
        @functools.wraps(function)
        def wrapper(context, volume, event_suffix, *args, **kwargs):
            where = {'volume': volume.id, 'event': event_suffix}
            self._gates.reach('notification called', **where)
            function(context, volume, event_suffix, *args, **kwargs)
            self._gates.reach('notification sent', **where)
        return wrapper


def _id(thing):
    return thing if thing is None or isinstance(thing, str) else thing.id
