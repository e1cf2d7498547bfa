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

"""Who is connected where, and who needs it.

The ledger is told what really happens at the places where it happens: in
os-brick's connector, at the entry of the driver's ``_disconnect_volume``. It
does not know what Nova believes.
"""

import collections

Violation = collections.namedtuple('Violation', 'kind words')


class Ledger:
    """The host connections of all hosts, and their users.

    An instance uses a host connection from the moment its connect succeeded
    until it leaves, and for as long as its running guest has the disk.

    :param guests: function of (host, volume ID) that tells the UUIDs of the
        running guests there that have the volume's disk
    :param name: function that gives an ID its name for people
    :ivar violations: list of :class:`Violation`, in the order they happened
    """

    def __init__(self, guests=lambda host, volume: (), name=str):
        self._guests = guests
        self._name = name
        self._connections = set()
        self._users = {}
        self.violations = []

    def clear(self):
        """Begin again, with nothing connected."""
        self._connections.clear()
        self._users.clear()
        del self.violations[:]

    def is_connected(self, host, volume):
        """Tell whether a host connection exists.

        :param host: name of the host
        :param volume: ID of the volume
        """
        return (host, volume) in self._connections

    def users(self, host, volume):
        """Tell who needs a host connection now.

        :param host: name of the host
        :param volume: ID of the volume
        :returns: set of instance UUIDs
        """
        return (self._users.get((host, volume), set()) |
                set(self._guests(host, volume)))

    def connect(self, host, volume, instance):
        """A host connection was made, or was there already.

        :param host: name of the host
        :param volume: ID of the volume
        :param instance: UUID of the instance that it was made for
        """
        self._connections.add((host, volume))
        self._users.setdefault((host, volume), set()).add(instance)

    def leave(self, host, volume, instance):
        """An instance will not use the volume's device any more.

        :param host: name of the host
        :param volume: ID of the volume
        :param instance: UUID of the instance
        """
        self._users.get((host, volume), set()).discard(instance)

    def disconnect(self, host, volume, instance):
        """A host connection was removed.

        :param host: name of the host
        :param volume: ID of the volume
        :param instance: UUID of the instance that it was removed for
        """
        users = self._users.get((host, volume), set()) - {instance}
        left_without = users | set(self._guests(host, volume))
        self._connections.discard((host, volume))
        if left_without:
            self.violate('yank', '%s disconnected %s from %s, which %s needs' %
                         (self._name(instance), self._name(volume), host,
                          self._names(left_without)))

    def strike_out(self, is_there):
        """Forget who will never leave, because it is not there any more.

        :param is_there: function of (host, instance UUID) that tells whether
            Nova says that the instance is on the host
        """
        for (host, volume), users in self._users.items():
            users.intersection_update(
                [uuid for uuid in users if is_there(host, uuid)])

    def violate(self, kind, words):
        """Note that an invariant was broken.

        :param kind: one of :data:`harness.declared.OUTCOMES`
        :param words: what happened
        """
        self.violations.append(Violation(kind, words))

    def rest(self):
        """Check what must be true when no operation is going on any more.

        :returns: the outcome: ``holds``, or the kind of the first violation;
            one that a guest or a host suffers from goes before others
        """
        for host, volume in sorted(self._connections):
            if not self.users(host, volume):
                self.violate('leak', '%s is still connected on %s, and nobody '
                             'uses it' % (self._name(volume), host))
        for host, volume in sorted(self._users):
            users = self.users(host, volume)
            if users and (host, volume) not in self._connections:
                self.violate('yank', '%s is not connected on %s, and %s uses '
                             'it' % (self._name(volume), host,
                                     self._names(users)))
        kinds = [violation.kind for violation in self.violations]
        return next((kind for kind in kinds if kind in ('leak', 'yank')),
                    kinds[0] if kinds else 'holds')

    def story(self):
        """The violations as text, one a line."""
        return '\n'.join('%s: %s' % violation for violation in self.violations)

    def _names(self, instances):
        return ', '.join(sorted(self._name(uuid) for uuid in instances))
