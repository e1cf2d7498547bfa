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


"""What differs between the Cinder releases that the tests run on.

Nothing else in ``harness.cinder`` or in the tests asks for a release.
"""

from cinder import db
from cinder.db import api as db_api
from cinder.volume import manager
from oslo_utils import importutils

#: Sent with every request. From 29.0.0 on Cinder asks Nova before it deletes
#: an attachment of a server, unless a service sends the request; older
#: releases ignore the header.
HEADERS = {'X-Service-Roles': 'service'}

#: The module through which the services call the database. Old releases
#: export its functions from the package.
DATABASE = db if hasattr(db, 'volume_detached') else db_api

#: The module that implements them: one of its own in old releases.
DATABASE_CODE = importutils.try_import('cinder.db.sqlalchemy.api', db_api)

#: Whether the release's cinder-volume removes attachments. In later releases
#: it leaves that to the API.
VOLUME_SERVICE_FINISHES = hasattr(manager.VolumeManager,
                                  '_do_attachment_delete')


def engine():
    """The SQLAlchemy engine of the running test.

    :returns: an engine
    """
    return DATABASE_CODE.get_engine()
