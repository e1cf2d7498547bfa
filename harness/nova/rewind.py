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

"""Puts the world of a test back as it was.

To start services and to boot servers takes seconds. To write back what they
left in databases, in libvirt, in Cinder and in memory takes milliseconds.
"""

from harness.nova import compat  # noqa: F401 isort: skip

import contextlib
import copy
import functools
import os
import sqlite3

import fixtures
from nova.servicegroup.drivers import db
from sqlalchemy import engine
from sqlalchemy import event

# What the resource tracker remembers of servers and of their host.
_TRACKED = ('compute_nodes', 'stats', 'tracked_instances',
            'tracked_migrations', 'is_bfv', 'old_resources', 'provider_tree',
            'assigned_resources')

# What the module of Nova that is under test remembers.
_REMEMBERED = ('_connected', '_released', '_arrivals')


class Databases(fixtures.Fixture):
    """Knows all connections to sqlite that are opened from now on.

    To be used before the databases are made.
    """

    def _setUp(self):
        self._in_memory = []
        self._paths = set()
        event.listen(engine.Engine, 'connect', self._opened)
        self.addCleanup(event.remove, engine.Engine, 'connect', self._opened)

    def save(self):
        """Copy all databases.

        :returns: list of (function that gives a connection, copy)
        """
        saved = [_opener(path) for path in sorted(self._paths)
                 if os.path.exists(path)]
        for connection in self._in_memory:
            with contextlib.suppress(sqlite3.ProgrammingError):
                # That is raised if it was closed since.
                connection.total_changes
                saved.append(functools.partial(
                    contextlib.nullcontext, connection))
        return [(opened, _copy(opened)) for opened in saved]

    def _opened(self, connection, record):
        connection = getattr(connection, 'driver_connection', connection)
        path = connection.execute('PRAGMA database_list').fetchone()[2]
        if path:
            self._paths.add(path)
        else:
            self._in_memory.append(connection)


class Alive(fixtures.Fixture):
    """Lets services be up though their last sign of life is put back too."""

    def _setUp(self):
        is_up = db.DbDriver.is_up

        def patched_is_up(driver, service):
            # It is read from the configuration when the driver is made.
            driver.service_down_time = 10 ** 6
            return is_up(driver, service)

        self.useFixture(fixtures.MonkeyPatch(
            'nova.servicegroup.drivers.db.DbDriver.is_up', patched_is_up))


class World:
    """What the servers, volumes and hosts of a test are like at a time.

    No operation may be going on when it is made or put back.

    :param test: :class:`harness.nova.shared_volume.SharedVolumeTest`
    :param databases: the :class:`Databases` of the test
    """

    def __init__(self, test, databases):
        self._test = test
        self._databases = databases.save()
        self._volumes = copy.deepcopy(test.volumes._volumes)
        self._ledger = copy.deepcopy((
            test.ledger._connections, test.ledger._users))
        self._domains = [
            (connection, list(connection._vms.items()),
             [(domain, _domain_state(domain))
              for domain in connection._vms.values()])
            for connection in self._connections()]
        self._attributes = [
            (owner, name, copy.deepcopy(getattr(owner, name)))
            for owner, name in self._in_memory()]

    def put_back(self):
        """Make the world what it was."""
        for opened, saved in self._databases:
            with opened() as connection:
                saved.backup(connection)
        self._test.volumes._volumes.clear()
        self._test.volumes._volumes.update(copy.deepcopy(self._volumes))
        ledger = self._test.ledger
        ledger.clear()
        connections, users = copy.deepcopy(self._ledger)
        ledger._connections.update(connections)
        ledger._users.update(users)
        for connection, vms, states in self._domains:
            connection._vms.clear()
            connection._vms.update(vms)
            for domain, state in states:
                domain.__dict__.update(copy.deepcopy(state))
        for owner, name, value in self._attributes:
            setattr(owner, name, copy.deepcopy(value))
        del self._test.gates.trace[:]
        del self._test._operations[:]

    def _connections(self):
        return [service.manager.driver._host.get_connection()
                for service in self._test.computes.values()]

    def _in_memory(self):
        for service in self._test.computes.values():
            manager = service.manager
            owners = [(manager.rt, _TRACKED),
                      (manager.reportclient, ('_provider_tree',)),
                      (getattr(manager.driver, '_host_connections', None),
                       _REMEMBERED)]
            for owner, names in owners:
                for name in names:
                    if hasattr(owner, name):
                        yield owner, name


def _opener(path):
    # A connection of our own: those of a pool belong to one thread each, and
    # may see the database of some time ago.
    return lambda: contextlib.closing(sqlite3.connect(path))


def _copy(opened):
    saved = sqlite3.connect(':memory:', check_same_thread=False)
    with opened() as connection:
        connection.backup(saved)
    return saved


def _domain_state(domain):
    return copy.deepcopy({
        name: value for name, value in domain.__dict__.items()
        if isinstance(value, (bool, int, str, dict, type(None)))})
