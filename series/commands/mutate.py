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

"""Check that the tests see deliberate defects."""

import pathlib
import sys
import tempfile

from series import console
from series import environment
from series import errors
from series import mutations
from series import runner
from series import tree

TARGET = 'nova/2025.2'


def add_arguments(parser):
    parser.add_argument('name', nargs='*', metavar='NAME',
                        help='e.g. lock-per-host (default: all)')
    kinds = parser.add_mutually_exclusive_group()
    for kind in mutations.KINDS:
        kinds.add_argument('--' + kind, action='store_const', const=kind,
                           dest='kind', help='only the %s tests' % kind)
    parser.add_argument('--target', default=TARGET, metavar='TARGET',
                        help='where to run the functional tests '
                             '(default: %(default)s)')


def run(workspace, arguments):
    known = mutations.load(workspace.root / 'mutations')
    for name in arguments.name:
        if name not in known:
            raise errors.SeriesError('unknown mutation %s: there are %s' % (
                name, ', '.join(known)))
    chosen = [known[name] for name in arguments.name or known]
    rows, survivors = [], set()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        if arguments.kind in (None, 'unit'):
            copy = mutations.Copy.of_unit_tests(
                workspace, folder / 'unit', sys.executable)
            _check('unit', chosen, copy, rows, survivors)
        if arguments.kind in (None, 'functional') and any(
                mutation.tests['functional'] for mutation in chosen):
            [target] = workspace.select([arguments.target])
            with workspace.locked(target):
                _check('functional', chosen,
                       _functional(workspace, target, folder / 'tree'),
                       rows, survivors)
    if not rows:
        raise errors.SeriesError('no such test is named for %s' % ', '.join(
            mutation.name for mutation in chosen))
    console.say()
    for line in _table(('defect', 'caught by', 'how'), rows):
        console.say(line)
    console.say()
    console.say('mutate: %d of %d caught' % (
        len(chosen) - len(survivors), len(chosen)))
    return 1 if survivors else 0


def _functional(workspace, target, folder):
    made = environment.Environment(workspace, target)
    applied = tree.Tree(workspace, target)
    made.make()
    applied.apply()
    return mutations.Copy.of_tree(
        workspace, folder, made.python, applied.path,
        lambda copy: runner.variables(workspace, target, made, copy,
                                      'patched', target.concurrency[0]))


def _check(kind, chosen, copy, rows, survivors):
    clean = {}
    for mutation in chosen:
        for test, words in mutation.tests[kind].items():
            if test not in clean:
                clean[test] = copy.run(test)
            how = _look(mutation, test, words, clean[test], copy)
            rows.append((mutation.name, test, how or words))
            if how:
                rows[-1] = (mutation.name, '- (%s)' % test, how)
                survivors.add(mutation.name)
            console.say('%s: %s' % (mutation.name, how or 'caught'))


def _look(mutation, test, words, clean, copy):
    if not mutations.passed(clean):
        return 'the test fails without the defect: %s' % errors.last_line(
            clean)
    try:
        copy.mutate(mutation)
    except errors.SeriesError as error:
        return str(error)
    try:
        return mutations.judge(test, words, copy.run(test))
    finally:
        copy.restore(mutation)


def _table(head, rows):
    widths = [max(len(row[column]) for row in [head, *rows])
              for column in range(len(head) - 1)]
    for row in [head, *rows]:
        yield '  '.join([cell.ljust(width) for cell, width in zip(
            row, widths)] + [row[-1]])
