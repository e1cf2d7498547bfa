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

"""Run pairs of operations in all orders up to some preemptions."""

import json
import pathlib
import subprocess
import time

from harness.explorer import counterexample
from harness.nova import repertoire
from series import commands
from series import console
from series import environment
from series import errors
from series import process
from series import results
from series import runner
from series import tree

_SHARED_TARGETS = {'true': True, 'false': False, 'unknown': None}


def add_arguments(parser):
    parser.add_argument('target', nargs='?', metavar='TARGET',
                        help='e.g. nova/2026.2')
    parser.add_argument('--arm', choices=results.ARMS, default='patched',
                        help='default: patched')
    parser.add_argument('--mode', metavar='MODE',
                        help='eventlet or native (default: the first one '
                             'that the target has)')
    parser.add_argument('--pair', action='append', metavar='OPERATIONS',
                        help='two or three, such as "delete,detach" or '
                             '"attach(A),delete(A)"; may be given more than '
                             'once (default: all pairs)')
    parser.add_argument('--preemptions', type=_number, default=2, metavar='P',
                        help='how often an operation that could go on may '
                             'be stopped (default: 2)')
    parser.add_argument('--random', type=commands.positive, metavar='N',
                        help='instead run N schedules by chance')
    parser.add_argument('--seed', type=_number, default=1, metavar='S',
                        help='of --random (default: 1)')
    parser.add_argument('--sharer', action='append', choices=list('ABC'),
                        help='a server that has the volume and does nothing')
    parser.add_argument('--shared-targets', choices=list(_SHARED_TARGETS),
                        default='false', help='of the volume (default: false)')
    parser.add_argument('--replay', metavar='FILE',
                        help='run the schedule in FILE, which says all else')
    parser.add_argument('--output', metavar='FILE',
                        help='where to write the schedule of a failure '
                             '(default: in the cache)')
    parser.add_argument('--list', action='store_true',
                        help='print the operations and the pairs')


def run(workspace, arguments):
    if arguments.list:
        console.say('operations: %s' % ', '.join(sorted(repertoire.KINDS)))
        for pair in repertoire.pairs():
            console.say('pair: %s' % ','.join(pair))
        return 0
    if arguments.replay:
        example, text = _read(arguments.replay)
        requests = [dict(_request(example.operations, example.mode,
                                  example.scenario), replay=text)]
        name, arm, mode = example.target, example.arm, example.mode
    else:
        name, arm, mode = arguments.target, arguments.arm, arguments.mode
        requests = None
    target = _select(workspace, name)
    mode = mode or target.concurrency[0]
    if mode not in target.concurrency:
        raise errors.SeriesError('%s runs with %s, not with %s' % (
            target.name, ' or '.join(target.concurrency), mode))
    requests = requests or _requests(arguments, mode)
    with workspace.locked(target):
        made = environment.Environment(workspace, target)
        made.make()
        applied = tree.Tree(workspace, target)
        if arm == 'patched':
            applied.apply()
        variables = runner.variables(workspace, target, made, applied.path,
                                     arm, mode)
        variables['OS_TEST_TIMEOUT'] = '0'
        label = '[%s %s %s]' % (target.name, arm, mode)
        explorers = [_Explorer(workspace, target, made, variables, label,
                               arguments.output, arm, request)
                     for request in requests]
        for explorer in explorers:
            explorer.run()
    failed = sum(explorer.failed for explorer in explorers)
    console.say('explore: %d schedules of %s, %d failed' % (
        sum(explorer.count for explorer in explorers),
        _count(len(explorers), 'pair'), failed))
    return 1 if failed else 0


class _Explorer:
    """Runs one exploration and prints what it finds.

    :ivar count: number of schedules
    :ivar failed: whether one failed
    """

    def __init__(self, workspace, target, made, variables, label, output,
                 arm, request):
        self.count = 0
        self.failed = False
        self._workspace = workspace
        self._made = made
        self._variables = variables
        self._request = request
        self._what = ','.join(request['operations'])
        self._label = '%s %s' % (label, self._what)
        self._last = time.monotonic()
        self._found = None
        self._output = pathlib.Path(output) if output else (
            workspace.cache / 'results' / 'explore' / ('%s-%s-%s-%s.json' % (
                target.slug, arm, request['mode'],
                self._what.replace('(', '-').replace(')', ''))))

    def run(self):
        log = self._workspace.cache / 'results' / 'logs' / 'explore.log'
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, 'wb') as stderr, process.child(
                [self._made.python, '-m', 'harness.nova.exploring',
                 json.dumps(self._request)],
                cwd=self._workspace.root,
                env=process.environment(**self._variables),
                stdout=subprocess.PIPE, stderr=stderr) as child:
            for line in child.stdout:
                found = json.loads(line)
                getattr(self, '_' + found.pop('kind'))(**found)
        if child.returncode or not self._found:
            raise errors.SeriesError('%s: the explorer ended with status %d: '
                                     '%s' % (self._label, child.returncode,
                                             errors.last_line(log.read_text(
                                                 errors='replace'))))
        console.say('%s: %s' % (self._label, self._summary()))

    def _schedules(self, **found):
        self._found = found
        self.count = found['count']
        if time.monotonic() - self._last >= console.INTERVAL:
            self._last = time.monotonic()
            console.say('%s ... %s' % (self._label, self._summary()))

    def _failure(self, reproduced, replays, story, example):
        self.failed = True
        self._output.parent.mkdir(parents=True, exist_ok=True)
        self._output.write_text(example)
        console.say('%s: FAILED after %s' % (self._label, self._summary()))
        console.say(story)
        for violation in counterexample.load(example).violations:
            console.say('  => %s' % violation)
        console.say('the same in %d of %d more runs; again by:' % (
            reproduced, replays))
        console.say('  series explore --replay %s' % self._output)

    def _error(self, text):
        console.say(text)
        raise errors.SeriesError('%s: %s' % (
            self._label, errors.last_line(text)))

    def _summary(self):
        return ('%(count)d schedules, %(steps)d steps, %(seconds).0f s, '
                % self._found + '%.1f schedules/s, %d failed' % (
                    self._found['count'] / max(self._found['seconds'], 0.001),
                    self._found['failures']))


def _requests(arguments, mode):
    pairs = [pair.split(',') for pair in arguments.pair or ()]
    scenario = {'shared_targets': _SHARED_TARGETS[arguments.shared_targets],
                'sharers': arguments.sharer or []}
    requests = []
    for pair in pairs or repertoire.pairs():
        try:
            operations = [str(operation)
                          for operation in repertoire.parse(pair)]
        except repertoire.BadOperation as error:
            raise errors.SeriesError('--pair: %s' % error)
        requests.append(dict(
            _request(operations, mode, scenario),
            preemptions=arguments.preemptions, seed=arguments.seed,
            random=arguments.random or 0))
    return requests


def _request(operations, mode, scenario):
    """What one run of ``harness.nova.exploring`` is asked to do."""
    return {'operations': operations, 'mode': mode, 'scenario': scenario,
            'preemptions': 0, 'random': 0, 'seed': 0, 'replay': None}


def _select(workspace, name):
    if not name:
        raise errors.SeriesError('name a target, or a schedule with --replay')
    target, = workspace.select([name])
    if target.project != 'nova':
        raise errors.SeriesError('%s: only targets of nova can be explored' %
                                 name)
    return target


def _read(name):
    try:
        text = pathlib.Path(name).read_text(encoding='utf-8')
        return counterexample.load(text), text
    except OSError as error:
        raise errors.SeriesError('cannot read %s: %s' % (
            name, error.strerror))
    except (UnicodeDecodeError, counterexample.Unreadable) as error:
        raise errors.SeriesError('%s is no schedule: %s' % (name, error))


def _number(text):
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def _count(number, what):
    return '%d %s%s' % (number, what, '' if number == 1 else 's')
