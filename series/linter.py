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

"""The rules for patches.

Each rule is a function that yields findings, so that all that is asked of a
patch can be seen at a glance.
"""

import collections
import dataclasses
import re

import pycodestyle
from pyflakes import api as pyflakes
from pyflakes import reporter
import yaml

from series import errors
from series import git
from series import identity
from series import patches
from series import tree

SUBJECT = 50
SUBJECT_AT_MOST = 72
BODY = 72
CODE = 79


@dataclasses.dataclass(frozen=True)
class Finding:
    """Something to put right.

    :ivar where: target and file
    :ivar what: what is wrong
    :ivar error: whether ``series lint`` fails for it
    """

    where: str
    what: str
    error: bool = True

    def __str__(self):
        return '%s: %s%s' % (
            self.where, '' if self.error else 'warning: ', self.what)


def lint(workspace, selected):
    """Check the series of some targets.

    :param workspace: a :class:`series.workspace.Workspace`
    :param selected: list of :class:`series.targets.Target`
    :returns: iterator of :class:`Finding`
    """
    series = {}
    for target in selected:
        series[target.name] = []
        for path in workspace.patch_files(target):
            where = '%s/%s' % (target.name, path.name)
            try:
                patch = patches.read(path)
            except (ValueError, UnicodeDecodeError) as error:
                yield Finding(where, str(error))
                continue
            series[target.name].append(patch)
            for rule in PATCH_RULES:
                for what in rule(patch):
                    yield (what if isinstance(what, Finding)
                           else Finding(where, what))
            if len(patch.subject) > SUBJECT:
                yield Finding(
                    where, 'the subject has %d characters, more than %d' % (
                        len(patch.subject), SUBJECT),
                    len(patch.subject) > SUBJECT_AT_MOST)
    yield from check_change_ids(series)
    for target in selected:
        if workspace.patch_files(target):
            yield from check_tree(workspace, target)


def check_body(patch):
    """Lines of the body are wrapped; addresses and trailers need not be."""
    for line in patch.body:
        if (len(line) > BODY and '://' not in line
                and not patches.TRAILER.fullmatch(line)):
            yield 'a line of the message has %d characters, more than %d: ' \
                '%s' % (len(line), BODY, line)


def check_trailers(patch):
    """There is one Change-Id and no Signed-off-by in the last paragraph."""
    ids = patch.values('Change-Id')
    if len(ids) != 1 or not re.fullmatch(r'I[0-9a-f]{40}', ids[0]):
        yield ('its last paragraph needs one "Change-Id: I" with 40 '
               'hexadecimal digits')
    if any(line.lower().startswith('signed-off-by:') for line in patch.body):
        yield 'a Signed-off-by is added by who proposes it, not stored'


def check_bugs(patch):
    """It says which bug it is about."""
    keys = ('Closes-Bug', 'Related-Bug', 'Partial-Bug')
    bugs = [bug for key in keys for bug in patch.values(key)]
    if not bugs:
        yield 'it needs one of %s' % ', '.join(keys)
    for bug in bugs:
        if not re.fullmatch(r'#\d+', bug):
            yield 'the bug %s should be like #2048837' % bug


def check_release_note(patch):
    """What closes a bug has a release note that says so."""
    if not patch.values('Closes-Bug'):
        return
    notes = [name for name in patch.files
             if re.fullmatch(r'releasenotes/notes/[^/]+\.yaml', name)]
    if not notes:
        yield 'it closes a bug and has no release note'
    for note in notes:
        text = '\n'.join(line for name, line in patch.added if name == note)
        try:
            content = yaml.safe_load(text)
        except yaml.YAMLError:
            yield '%s is not valid YAML' % note
            continue
        fixes = content.get('fixes') if isinstance(content, dict) else None
        if not isinstance(fixes, list) or not all(
                isinstance(fix, str) and fix.strip() for fix in fixes):
            yield '%s has no list of texts in "fixes"' % note


def check_white_space(patch):
    """Added lines have no white space at their end."""
    for name, line in patch.added:
        if line != line.rstrip():
            yield 'white space at the end of a line that it adds to %s' % name


def check_long_lines(patch):
    """Added lines of code are of the length that the projects allow."""
    for name, line in patch.added:
        if name.endswith('.py') and len(line) > CODE:
            yield 'it adds a line of %d characters to %s' % (len(line), name)


PATCH_RULES = (check_body, check_trailers, check_bugs, check_release_note,
               check_white_space, check_long_lines)


def check_change_ids(series):
    """A change has one subject and one Change-Id on all branches.

    :param series: ``{name of the target: list of patches}``
    """
    subjects, ids = {}, {}
    for name, group in series.items():
        own = collections.Counter(
            value for patch in group for value in patch.values('Change-Id'))
        for value, count in own.items():
            if count > 1:
                yield Finding(name, '%d patches have the %s' % (count, value))
        for patch in group:
            where = '%s/%s' % (name, patch.name)
            value = ''.join(patch.values('Change-Id'))
            other = subjects.setdefault(patch.subject, (value, where))
            if other[0] != value:
                yield Finding(where, 'same subject as %s, and another '
                                     'Change-Id' % other[1])
            other = ids.setdefault(value, (patch.subject, where))
            if value and other[0] != patch.subject:
                yield Finding(where, 'same Change-Id as %s, and another '
                                     'subject' % other[1])


def check_tree(workspace, target):
    """The series applies, and its result is in order.

    :param workspace: a :class:`series.workspace.Workspace`
    :param target: a :class:`series.targets.Target`
    """
    applied = tree.Tree(workspace, target)
    try:
        with workspace.locked(target):
            applied.apply()
    except errors.SeriesError as error:
        yield Finding(target.name, str(error))
        return
    new = applied.format()
    for path in workspace.patch_files(target):
        if new.get(path.name) != path.read_bytes():
            yield Finding('%s/%s' % (target.name, path.name),
                          '"series refresh" would change or rename it')
    for ours, theirs in identity.FILES[target.project].items():
        yield from _check_identity(
            target.name, workspace.root / ours, applied.path / theirs)
    names = git.check(applied.path, 'diff', '--name-only', '--diff-filter=d',
                      'base', 'HEAD', '--', '*.py').splitlines()
    for name in names:
        yield from _check_code(applied.path, target.name, name)


def _check_identity(name, ours, theirs):
    if not ours.exists() or not theirs.exists():
        yield Finding(name, '%s does not exist' % (
            theirs if ours.exists() else ours))
    elif ours.read_bytes() != theirs.read_bytes():
        yield Finding(name, '%s and %s differ' % (ours, theirs))


def _check_code(folder, target, name):
    before = git.run(folder, 'show', 'base:' + name)
    text = (folder / name).read_text(encoding='utf-8')
    # What the release itself has to put right is not asked of a patch.
    known = (collections.Counter() if before.returncode
             else collections.Counter(_flakes(before.stdout, name)))
    new = collections.Counter(_flakes(text, name)) - known
    for what in new:
        yield Finding('%s: %s' % (target, name), what)
    if before.returncode:
        # A file of the size of Nova's libvirt driver takes pycodestyle a
        # quarter of a minute: only new ones are given to it.
        report = _Report(pycodestyle.StyleGuide(
            ignore=['E12', 'E131', 'E251', 'E402', 'E731', 'W503', 'W504'],
            max_line_length=CODE).options)
        pycodestyle.Checker(name, text.splitlines(keepends=True),
                            report=report,
                            options=report.options).check_all()
        for what in report.found:
            yield Finding('%s: %s' % (target, name), what)


def _flakes(text, name):
    found = _Flakes()
    pyflakes.check(text, name, found)
    return found.found


class _Flakes(reporter.Reporter):
    def __init__(self):
        self.found = []

    def unexpectedError(self, filename, message):
        self.found.append(str(message))

    def syntaxError(self, filename, message, *position):
        self.found.append(str(message))

    def flake(self, message):
        self.found.append(message.message % message.message_args)


class _Report(pycodestyle.BaseReport):
    def __init__(self, options):
        super().__init__(options)
        self.options = options
        self.found = []

    def error(self, line_number, offset, text, check):
        code = super().error(line_number, offset, text, check)
        if code:
            self.found.append('line %d: %s' % (line_number, text))
        return code
