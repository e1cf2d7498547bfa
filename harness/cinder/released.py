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


"""Functions of the released Cinder inside a process that runs another one.

In a rolling upgrade the API and cinder-volume are not of the same version.
Both run in one process here, so one of them is given its released functions
back.
"""

import ast
import os
import sysconfig
import textwrap

from cinder.volume import manager
import fixtures

from harness.cinder import compat


class ReleasedVolumeService(fixtures.Fixture):
    """Let cinder-volume delete attachments as the release does.

    Its functions come from the wheel in site-packages; the API keeps those
    of the tree. On the released arm they are what is there anyway.

    For releases whose cinder-volume removes the attachment itself.

    :param gates: the test's :class:`harness.gates.Gates`; the release's
        ``volume_detached`` is the point ``released volume_detached returned``
    """

    def __init__(self, gates):
        super().__init__()
        self._gates = gates

    def _setUp(self):
        volume_detached = function(
            'cinder/db/sqlalchemy/api.py', 'volume_detached',
            vars(compat.DATABASE_CODE))

        def detach(context, volume_id, attachment_id):
            result = volume_detached(context, volume_id, attachment_id)
            self._gates.reach('released volume_detached returned',
                              attachment=attachment_id)
            return result

        namespace = dict(vars(manager))
        for name in ('attachment_delete', '_do_attachment_delete'):
            released = function('cinder/volume/manager.py', name, namespace,
                                'VolumeManager')
            self._patch(name, self._with_database(released, detach))

    def _patch(self, name, released):
        plain = vars(manager.VolumeManager)[name]
        setattr(manager.VolumeManager, name, released)
        self.addCleanup(setattr, manager.VolumeManager, name, plain)

    @staticmethod
    def _with_database(released, volume_detached):
        def method(self, *args, **kwargs):
            return released(_Facade(self, volume_detached), *args, **kwargs)
        return method


class _Facade:
    """A manager whose database has the released ``volume_detached``."""

    def __init__(self, plain, volume_detached):
        self._plain = plain
        self.db = _Database(volume_detached)

    def __getattr__(self, name):
        return getattr(self._plain, name)


class _Database:
    def __init__(self, volume_detached):
        self.volume_detached = volume_detached

    def __getattr__(self, name):
        return getattr(compat.DATABASE, name)


def function(path, name, namespace, owner=None):
    """Make a function from the source in the release's wheel.

    :param path: file below site-packages
    :param name: name of the function
    :param namespace: the globals that it is to see
    :param owner: name of the class that it is in, None for the module
    :returns: the function
    """
    path = os.path.join(sysconfig.get_paths()['purelib'], path)
    with open(path, encoding='utf-8') as stream:
        source = stream.read()
    body = ast.parse(source).body
    if owner:
        body = _named(body, owner).body
    node = _named(body, name)
    first = min([node.lineno] + [each.lineno for each in node.decorator_list])
    text = '\n'.join(source.splitlines()[first - 1:node.end_lineno])
    # Compiled at its place, so that a traceback shows the right lines.
    code = compile('\n' * (first - 1) + textwrap.dedent(text), path, 'exec')
    result = {}
    exec(code, dict(namespace), result)
    return result[name]


def _named(body, name):
    return next(node for node in body if getattr(node, 'name', None) == name)
