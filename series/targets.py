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

"""The targets: released versions that the series are made for.

``patches/targets.yaml`` has one entry a target. It is checked as a whole
before anything is done, so that a mistake in it is one clear line and not a
traceback in the middle of a run.
"""

import dataclasses
import re

import yaml

from harness import declared
from series import errors

PROJECTS = ('nova', 'cinder')

#: How the services of a target can run their threads.
CONCURRENCY = ('eventlet', 'native')

_KEYS = ('project', 'branch', 'release', 'sdist_sha256', 'python',
         'concurrency', 'build_constraints', 'bugs', 'released')
_OPTIONAL = ('build_constraints', 'released')


@dataclasses.dataclass(frozen=True)
class Target:
    """One released version under test.

    :ivar name: e.g. ``nova/2025.2``
    :ivar project: ``nova`` or ``cinder``
    :ivar branch: upstream's branch, e.g. ``stable/2025.2``
    :ivar release: version of the release, e.g. ``32.2.1``
    :ivar sdist_sha256: hash of the release's source distribution
    :ivar python: version of the interpreter, e.g. ``3.12``
    :ivar concurrency: how its services run threads, some of ``CONCURRENCY``
    :ivar build_constraints: requirements on what its dependencies are built
        with
    :ivar bugs: ``{number of the bug: what upstream did about it}``
    :ivar released: ``{race: {variant or None: outcome}}`` on the released
        arm; the variant None stands for all of them
    """

    name: str
    project: str
    branch: str
    release: str
    sdist_sha256: str
    python: str
    concurrency: tuple
    build_constraints: tuple
    bugs: dict
    released: dict

    @property
    def slug(self):
        """The name as a file name, e.g. ``nova-2025.2``."""
        return self.name.replace('/', '-')


class _Loader(yaml.SafeLoader):
    """A YAML loader to which a key that occurs twice is an error."""

    def construct_mapping(self, node, deep=False):
        keys = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, (str, int)) and key in keys:
                raise yaml.constructor.ConstructorError(
                    None, None, 'key %s occurs twice' % key,
                    key_node.start_mark)
            keys.add(str(key))
        return super().construct_mapping(node, deep)


def load(path):
    """Read and check a file of targets.

    :param path: the file, a ``pathlib.Path``
    :returns: ``{name: Target}`` in the order of the file
    :raises SeriesError: if the file cannot be read or an entry is wrong
    """
    try:
        entries = yaml.load(path.read_text(encoding='utf-8'), _Loader)
    except OSError as error:
        raise errors.SeriesError('cannot read %s: %s' % (
            path, error.strerror))
    except yaml.YAMLError as error:
        mark = getattr(error, 'problem_mark', None)
        raise errors.SeriesError('%s%s: not valid YAML: %s' % (
            path, ':%d' % (mark.line + 1) if mark else '',
            getattr(error, 'problem', None) or error))
    if not isinstance(entries, dict) or not entries:
        raise errors.SeriesError(
            '%s: a mapping from the names of targets to their entries is '
            'needed' % path)
    try:
        return {name: _target(name, entry)
                for name, entry in entries.items()}
    except ValueError as error:
        raise errors.SeriesError('%s: %s' % (path, error))


def select(targets, names):
    """Pick targets by name.

    :param targets: what :func:`load` returned
    :param names: names, or nothing for all targets
    :returns: list of :class:`Target`, each once
    :raises SeriesError: if a name is unknown
    """
    for name in names:
        if name not in targets:
            raise errors.SeriesError(
                'unknown target %s: the targets are %s' % (
                    name, ', '.join(targets)))
    return [targets[name] for name in dict.fromkeys(names or targets)]


def _target(name, entry):
    if not re.fullmatch(r'(%s)/[a-z0-9][a-z0-9.]*' % '|'.join(PROJECTS),
                        str(name)):
        raise ValueError('%s: a target is named <project>/<series>, with a '
                         'project of %s' % (name, ', '.join(PROJECTS)))
    if not isinstance(entry, dict):
        raise ValueError('%s: the entry is not a mapping' % name)
    for key in entry:
        if key not in _KEYS:
            raise ValueError('%s: unknown key %s' % (name, key))
    for key in _KEYS:
        if key not in entry and key not in _OPTIONAL:
            raise ValueError('%s: %s is missing' % (name, key))
    if entry['project'] != name.split('/')[0]:
        raise ValueError('%s: project %s does not fit the name' % (
            name, entry['project']))
    for key, pattern, example in (
            ('branch', r'[A-Za-z0-9][A-Za-z0-9./-]*', 'stable/2025.2'),
            ('release', r'\d+\.\d+\.\d+', '32.2.1'),
            ('sdist_sha256', r'[0-9a-f]{64}', '64 hexadecimal digits'),
            ('python', r'3\.\d+', '"3.12", with the quotes')):
        value = entry[key]
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise ValueError('%s: %s is %r, and should be like %s' % (
                name, key, value, example))
    _check_list(name, 'concurrency', entry['concurrency'])
    for mode in entry['concurrency']:
        if mode not in CONCURRENCY:
            raise ValueError('%s: concurrency %s is none of %s' % (
                name, mode, ', '.join(CONCURRENCY)))
    if not entry['concurrency']:
        raise ValueError('%s: concurrency is empty: give one of %s' % (
            name, ', '.join(CONCURRENCY)))
    build_constraints = entry.get('build_constraints') or []
    _check_list(name, 'build_constraints', build_constraints)
    return Target(
        name=name, project=entry['project'], branch=entry['branch'],
        release=entry['release'], sdist_sha256=entry['sdist_sha256'],
        python=entry['python'], concurrency=tuple(entry['concurrency']),
        build_constraints=tuple(build_constraints),
        bugs=_bugs(name, entry['bugs']),
        released=_released(name, entry.get('released') or {}))


def _check_list(name, key, value):
    if (not isinstance(value, list)
            or not all(isinstance(item, str) for item in value)):
        raise ValueError('%s: %s is %r, and should be a list of strings' % (
            name, key, value))


def _bugs(name, bugs):
    if not isinstance(bugs, dict) or not bugs:
        raise ValueError('%s: bugs should map the number of each bug to what '
                         'upstream did about it' % name)
    for number, what in bugs.items():
        if not isinstance(number, str) or not number.isdigit():
            raise ValueError('%s: bug %r should be a number in quotes' % (
                name, number))
        if not isinstance(what, str) or not what.strip():
            raise ValueError('%s: bug %s: what upstream did about it is '
                             'missing' % (name, number))
    return dict(bugs)


def _released(name, released):
    if not isinstance(released, dict):
        raise ValueError('%s: released should map races to outcomes' % name)
    result = {}
    for race, outcome in released.items():
        if not isinstance(outcome, dict):
            outcome = {None: outcome}
        elif not outcome:
            raise ValueError('%s: race %s has no outcome' % (name, race))
        # YAML reads an unquoted 404 as a number.
        result[str(race)] = {
            variant if variant is None else str(variant): str(value)
            for variant, value in outcome.items()}
        for value in result[str(race)].values():
            if value not in declared.OUTCOMES:
                raise ValueError('%s: race %s: outcome %s is none of %s' % (
                    name, race, value, ', '.join(declared.OUTCOMES)))
    return result
