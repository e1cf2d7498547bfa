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

"""What servers that share a volume can be made to do, for the explorer.

Nothing of Nova is imported here.
"""

import itertools
import re


class Kind:
    """What servers can be made to do.

    :param start: function of (test, UUID of the server, ID of the volume)
        that sends the request
    :param has_volume: whether the server has the volume before
    :param hosts: how many hosts it takes
    """

    def __init__(self, start, has_volume=True, hosts=1):
        self.start = start
        self.has_volume = has_volume
        self.hosts = hosts


#: To explore another operation, name it here.
KINDS = {
    'delete': Kind(lambda test, server, volume: test.delete(server)),
    'detach': Kind(lambda test, server, volume: test.detach(server, volume)),
    'offload': Kind(lambda test, server, volume: test.shelve_offload(server)),
    'attach': Kind(lambda test, server, volume: test.attach(server, volume),
                   has_volume=False),
}

_OPERATION = re.compile(r'([a-z-]+)(?:\(([ABC])\))?')


class BadOperation(Exception):
    """There is no such operation; the message says what there is."""


class Operation:
    """One operation of an exploration, e.g. ``delete(A)``.

    :ivar kind: the :class:`Kind`
    :ivar server: name of the server
    """

    def __init__(self, name, server):
        self.kind = KINDS[name]
        self.server = server
        self._name = name

    def __str__(self):
        return '%s(%s)' % (self._name, self.server)


def parse(texts):
    """Read the names of operations.

    :param texts: list such as ``['delete', 'attach(C)']``; who names no
        server gets the next one, beginning with A
    :returns: list of :class:`Operation`
    :raises BadOperation: if one is unknown
    """
    if len(texts) > 3:
        raise BadOperation('%d operations: three at most' % len(texts))
    operations = []
    for number, text in enumerate(texts):
        match = _OPERATION.fullmatch(text.strip())
        if not match or match.group(1) not in KINDS:
            raise BadOperation('unknown operation %r: there is %s' % (
                text, ', '.join(sorted(KINDS))))
        operations.append(Operation(
            match.group(1), match.group(2) or 'ABC'[number]))
    names = [str(operation) for operation in operations]
    if len(set(names)) < len(names):
        raise BadOperation('%s: the same twice' % ', '.join(names))
    return operations


def pairs():
    """The pairs that are explored if none is named.

    :returns: list of lists of two texts for :func:`parse`: two operations on
        servers that share the volume, and two on one server
    """
    names = sorted(name for name, kind in KINDS.items() if kind.hosts == 1)
    different = itertools.combinations_with_replacement(names, 2)
    same = itertools.combinations(names, 2)
    return ([['%s(A)' % first, '%s(B)' % second]
             for first, second in different] +
            [['%s(A)' % first, '%s(A)' % second] for first, second in same])
