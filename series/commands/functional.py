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

"""Run the functional tests on the released and the patched arms."""

import re
import time

from series import commands
from series import console
from series import environment
from series import errors
from series import interpreters
from series import matrix
from series import results
from series import runner
from series import tree


def add_arguments(parser):
    parser.add_argument('target', nargs='*', metavar='TARGET',
                        help='e.g. nova/2025.2 (default: all)')
    parser.add_argument('--arm', choices=results.ARMS,
                        help='run only this arm (default: all)')
    parser.add_argument('--require-all', action='store_true',
                        help='fail if a target cannot be run')
    parser.add_argument('--repeat', type=commands.positive, default=1,
                        metavar='N',
                        help='run the tests N times and compare')
    parser.add_argument('--concurrency', type=commands.positive, metavar='N',
                        default=runner.cores(),
                        help='worker processes (default: one a core)')
    parser.add_argument('--test', type=_pattern, metavar='REGEX',
                        help='run only the tests whose ids match; their '
                             'results are not kept')


def run(workspace, arguments):
    start = time.monotonic()
    targets = workspace.select(arguments.target)
    for target in targets:
        environment.Environment(workspace, target).check()
    cells, problems, missing = [], [], {}
    for number, target in enumerate(targets, 1):
        label = '[%s %d/%d]' % (target.name, number, len(targets))
        try:
            for cell in _run_target(workspace, target, arguments, label):
                cells.append(cell)
        except interpreters.NoInterpreter as error:
            missing[target.name] = str(error)
            console.say('%s not run: %s' % (label, error))
        except errors.SeriesError as error:
            problems.append(str(error))
            console.say('%s %s' % (label, error))
    return _report(workspace, targets, cells, problems, missing, arguments,
                   time.monotonic() - start)


def _run_target(workspace, target, arguments, label):
    """Run one target's cells; each is given out when it is complete."""
    made = environment.Environment(workspace, target)
    applied = tree.Tree(workspace, target)
    series = bool(workspace.patch_files(target))
    with workspace.locked(target):
        made.make()
        if series and arguments.arm != 'released':
            applied.apply()
        elif not series:
            console.say('%s no series yet: only the released arm' % label)
        for mode in target.concurrency:
            cells = [results.Cell(target.name, mode, arm)
                     for arm in results.ARMS
                     if arguments.arm in (None, arm)
                     and (series or arm == 'released')]
            name = label if mode == 'eventlet' else '%s [%s]' % (label, mode)
            for repetition in range(1, arguments.repeat + 1):
                if arguments.repeat > 1:
                    console.say('%s repetition %d/%d' % (
                        name, repetition, arguments.repeat))
                for cell in cells:
                    runner.Runner(
                        workspace, target, made, applied.path,
                        arguments.concurrency, arguments.test,
                        name).run(cell)
            for cell in cells:
                if not arguments.test:
                    results.save(workspace.cache / 'results', cell)
                yield cell


def _report(workspace, targets, cells, problems, missing, arguments, seconds):
    declared = {target.name: target.released for target in targets}
    tests = {(cell.column, cell.arm, result.test)
             for cell in cells for result in cell.results}
    failed = set()
    for cell in cells:
        for test, problem in results.judge(
                cell, declared[cell.target], bool(arguments.test)):
            problems.append(problem)
            if test:
                failed.add((cell.column, cell.arm, test))
    console.say()
    console.say(render(workspace, targets, cells))
    console.say()
    for name, what in missing.items():
        console.say('not run: %s: %s' % (name, what))
    if arguments.repeat > 1:
        problems += _compare(cells, arguments.repeat)
    if missing and arguments.require_all:
        problems.append('not run, and --require-all was given: %s' %
                        ', '.join(missing))
    for problem in problems:
        console.say('PROBLEM: %s' % problem)
    console.say('functional: %d passed, %d failed, %d problems (%d s)' % (
        len(tests - failed), len(failed), len(problems), seconds))
    return 1 if problems or not cells else 0


def render(workspace, targets, cells):
    """Draw the matrix of some targets.

    :param workspace: a :class:`series.workspace.Workspace`
    :param targets: list of :class:`series.targets.Target`
    :param cells: list of :class:`series.results.Cell`
    :returns: text, see :func:`series.matrix.render`
    """
    columns = {
        results.Cell(target.name, mode, '').column:
            matrix.NOT_RUN if workspace.patch_files(target)
            else matrix.NO_SERIES
        for target in targets for mode in target.concurrency}
    return matrix.render(cells, columns, [
        race for target in targets for race in target.released])


def _compare(cells, repeat):
    lines = [line for cell in cells for line in results.differences(cell)]
    if not lines:
        console.say('all %d repetitions had the same results' % repeat)
    return ['not the same in all repetitions: ' + line for line in lines]


def _pattern(text):
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(str(error))
    return text
