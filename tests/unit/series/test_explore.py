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

import json

from harness.explorer import counterexample
from harness.explorer import scheduler
from series import environment
from tests.unit.series import base

# What stands in for the explorer in a target's environment: it keeps what it
# is asked and says what it was told to.
_EXPLORER = """#!/bin/sh
cd '%(folder)s' || exit 9
printf '%%s\\n' "$3" >> requests
env > environment
cat found
exit $(cat status)
"""

_STEP = scheduler.Step((scheduler.Option('delete(A)', 'start'),),
                       scheduler.Option('delete(A)', 'start'))

EXAMPLE = counterexample.Counterexample(
    base.TARGET, 'released', 'eventlet', ['delete(A)', 'detach(B)'],
    {'shared_targets': False, 'sharers': []}, [_STEP], ['leak: volume'])

SCHEDULES = {'kind': 'schedules', 'count': 20, 'steps': 300, 'seconds': 10.0,
             'failures': 0}
FAILURE = {'kind': 'failure', 'reproduced': 3, 'replays': 3,
           'story': '  1  start', 'example': counterexample.dump(EXAMPLE)}


class TestExplore(base.TestCase):

    def setUp(self):
        super().setUp()
        self.folder = self.demo.root.parent / 'explorer'
        self.folder.mkdir()
        self.demo.fetched()
        self.explorer(SCHEDULES)
        made = environment.Environment(self.demo.workspace, self.demo.target)
        made.python.parent.mkdir(parents=True)
        made.python.write_text(_EXPLORER % {'folder': self.folder})
        made.python.chmod(0o755)
        (made.path / 'stamp').write_text(made._stamp())

    def explorer(self, *found, status=0):
        (self.folder / 'status').write_text(str(status))
        (self.folder / 'found').write_text(
            ''.join(json.dumps(line) + '\n' for line in found))

    @property
    def requests(self):
        return [json.loads(line) for line in
                (self.folder / 'requests').read_text().splitlines()]

    def explore(self, *arguments):
        return self.series('explore', base.TARGET, '--arm', 'released',
                           *arguments)

    def test_holds(self):
        status, out, err = self.explore('--pair', 'delete,detach')
        self.assertEqual((0, ''), (status, err))
        self.assertIn(
            '[nova/demo released eventlet] delete(A),detach(B): '
            '20 schedules, 300 steps, 10 s, 2.0 schedules/s, 0 failed', out)
        self.assertIn('explore: 20 schedules of 1 pair, 0 failed', out)
        request, = self.requests
        self.assertEqual(['delete(A)', 'detach(B)'], request['operations'])
        self.assertEqual((2, 0), (request['preemptions'], request['random']))
        environ = (self.folder / 'environment').read_text()
        self.assertIn('SERIES_ARM=released\n', environ)
        self.assertIn('OS_TEST_TIMEOUT=0\n', environ)

    def test_random(self):
        self.explore('--pair', 'delete,detach', '--random', '7', '--seed',
                     '3', '--sharer', 'C', '--shared-targets', 'unknown')
        request, = self.requests
        self.assertEqual((7, 3), (request['random'], request['seed']))
        self.assertEqual({'shared_targets': None, 'sharers': ['C']},
                         request['scenario'])

    def test_all_pairs(self):
        status, out, _ = self.explore()
        self.assertEqual(0, status)
        asked = [request['operations'] for request in self.requests]
        self.assertIn(['delete(A)', 'delete(B)'], asked)
        self.assertIn(['attach(A)', 'delete(A)'], asked)
        self.assertEqual(len(asked), len({tuple(pair) for pair in asked}))

    def test_failure_is_replayed(self):
        self.explorer(dict(SCHEDULES, failures=1), FAILURE)
        status, out, _ = self.explore('--pair', 'delete,detach')
        self.assertEqual(1, status)
        self.assertIn('FAILED', out)
        self.assertIn('  => leak: volume', out)
        self.assertIn('the same in 3 of 3 more runs', out)
        command = out.split('series explore --replay ')[1].split()[0]
        self.assertEqual(EXAMPLE, counterexample.load(open(command).read()))

        status, _, _ = self.series('explore', '--replay', command)
        self.assertEqual(1, status)
        self.assertEqual(
            EXAMPLE, counterexample.load(self.requests[1]['replay']))
        self.assertEqual(EXAMPLE.operations, self.requests[1]['operations'])

    def test_output(self):
        self.explorer(dict(SCHEDULES, failures=1), FAILURE)
        path = self.folder / 'found.json'
        self.explore('--pair', 'delete,detach', '--output', str(path))
        self.assertEqual(EXAMPLE, counterexample.load(path.read_text()))

    def test_explorer_fails(self):
        self.explorer(SCHEDULES, {'kind': 'error', 'text': 'A\nOops: no\n'})
        self.assertFails(['explore', base.TARGET, '--arm', 'released',
                          '--pair', 'delete,detach'], 'Oops: no')
        self.explorer(status=3)
        self.assertFails(['explore', base.TARGET, '--arm', 'released',
                          '--pair', 'delete,detach'], 'status 3')

    def test_bad_input(self):
        bad = self.folder / 'bad.json'
        bad.write_text('{}')
        for arguments, words in (
                (['nova/demo', '--pair', 'fly,detach'], ['fly', 'delete']),
                (['nova/demo', '--pair', 'delete(A),delete(A)'], ['twice']),
                (['nova/demo', '--mode', 'native'], ['eventlet', 'native']),
                (['nova/none'], ['nova/none']),
                ([], ['--replay']),
                (['--replay', str(bad)], ['is no schedule']),
                (['--replay', str(bad) + 'x'], ['cannot read'])):
            self.assertFails(['explore', *arguments], *words)

    def test_list(self):
        out = self.assertWorks('explore', '--list')
        self.assertIn('operations: attach, delete, detach, ', out)
        self.assertIn('pair: delete(A),detach(B)\n', out)
