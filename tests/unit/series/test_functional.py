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

import contextlib
import io
import json
import os
import signal
import subprocess
import sys

import fixtures

from series import environment
from series import main
from series import matrix
from tests.unit.series import base
from tests.unit.series import recorded

# What stands in for a target's interpreter and the stestr in it: it plays
# the stream that was recorded for the arm and the repetition.
_PLAYER = """#!/bin/sh
cd '%(folder)s' || exit 9
echo "$@" >> commands
env > environment-$SERIES_ARM
for stream in stream-$SERIES_ARM-*; do
    [ -e "$stream" ] || exit 7
    cat "$stream"
    mv "$stream" "played-$stream"
    echo 'ImportError: no module named x' >&2
    exit $(cat status)
done
"""


class TestFunctional(base.TestCase):

    def setUp(self):
        super().setUp()
        self.folder = self.demo.root.parent / 'player'
        self.folder.mkdir()
        (self.folder / 'status').write_text('0')
        self.demo.fetched()
        self.played = 0

    def install(self, script=_PLAYER):
        """Make what looks like the target's environment."""
        made = environment.Environment(self.demo.workspace, self.demo.target)
        made.python.parent.mkdir(parents=True)
        made.python.write_text(script % {'folder': self.folder})
        made.python.chmod(0o755)
        (made.path / 'stamp').write_text(made._stamp())

    def play(self, arm, recording):
        self.played += 1
        (self.folder / ('stream-%s-%d' % (arm, self.played))).write_bytes(
            recording.bytes)

    def make_series(self):
        self.assertWorks('fetch', base.TARGET)
        self.demo.commit('Fix it', nova__virt='FIRST = 2\n')
        self.assertWorks('refresh', base.TARGET)

    def test_released(self):
        self.install()
        self.play('released', recorded.Recording().exists(
            'tests.functional.nova.delete-delete.test').race(
                'delete-delete', 'leak', seconds=4.3))
        out = self.assertWorks('functional')
        self.assertIn('[nova/demo 1/1] no series yet', out)
        self.assertIn('[nova/demo 1/1] [released] 1/1 delete-delete: leak, '
                      'as declared (4.3 s)\n', out)
        self.assertIn('delete-delete   leak -> no series yet, 4.3 s', out)
        self.assertIn('functional: 1 passed, 0 failed, 0 problems', out)
        self.assertIn('SERIES_TARGET=nova/demo\n', self.variables('released'))
        self.assertIn('PYTHONPATH=%s\n' % self.demo.root,
                      self.variables('released'))

    def variables(self, arm):
        return (self.folder / ('environment-' + arm)).read_text()

    def test_patched(self):
        self.make_series()
        self.install()
        self.play('released', recorded.Recording().race(
            'delete-delete', 'leak'))
        self.play('patched', recorded.Recording().race(
            'delete-delete', 'holds', 'holds'))
        out = self.assertWorks('functional', base.TARGET)
        self.assertIn('delete-delete   leak -> holds, 4.0 s', out)
        tree = self.demo.tree.path
        variables = self.variables('patched')
        self.assertIn('PYTHONPATH=%s:%s\n' % (self.demo.root, tree),
                      variables)
        self.assertIn('SERIES_TREE=%s\n' % tree, variables)
        self.assertNotIn('SERIES_TREE', self.variables('released'))
        self.assertIn('leak -> holds', self.assertWorks('matrix'))
        self.assertEqual(
            ['released', 'patched'],
            [cell['arm'] for cell in json.loads(
                self.assertWorks('matrix', '--json'))])

    def test_one_arm(self):
        self.make_series()
        self.install()
        self.play('patched', recorded.Recording().race(
            'delete-delete', 'holds', 'holds'))
        out = self.assertWorks('functional', '--arm', 'patched')
        self.assertIn('delete-delete   not run -> holds', out)

    def assertProblem(self, words, *arguments):
        status, out, err = self.series('functional', *arguments)
        self.assertEqual(1, status, out + err)
        self.assertIn('PROBLEM: ' + words, out)
        return out

    def test_not_as_declared(self):
        self.install()
        self.play('released', recorded.Recording().race(
            'delete-delete', 'holds', 'holds'))
        out = self.assertProblem('nova/demo [released]: delete-delete: '
                                 'holds, declared leak')
        self.assertIn('delete-delete: holds, DECLARED leak', out)
        self.assertIn('functional: 0 passed, 1 failed, 1 problems', out)

    def test_nothing_declared(self):
        del self.demo.entry['released']
        self.demo.write()
        self.install()
        self.play('released', recorded.Recording().race(
            'delete-delete', 'leak'))
        out = self.assertProblem('nova/demo [released]: delete-delete: leak, '
                                 'and the race is not declared')
        self.assertIn('leak, NOT DECLARED', out)

    def test_failure_is_explained(self):
        self.install()
        self.play('released', recorded.Recording().race(
            'delete-delete', 'yank', status='fail'))
        out = self.assertProblem('nova/demo [released]: delete-delete: yank')
        self.assertIn('Traceback: it went wrong', out)

    def test_import_error(self):
        self.install()
        (self.folder / 'status').write_text('3')
        self.play('released', recorded.Recording())
        self.assertProblem('nova/demo [released]: stestr ended with status '
                           '3: ImportError: no module named x')

    def test_no_tests(self):
        self.install()
        self.play('released', recorded.Recording())
        self.assertProblem('nova/demo [released]: stestr ran no test')

    def test_some_tests(self):
        self.demo.entry['released']['attach-delete'] = 'yank'
        self.demo.write()
        self.install()
        self.play('released', recorded.Recording().race(
            'delete-delete', 'leak'))
        self.assertWorks('functional', '--test', 'delete.delete')
        self.assertIn('--concurrency', (
            self.folder / 'commands').read_text())
        self.assertTrue((self.folder / 'commands').read_text().endswith(
            ' delete.delete\n'))
        self.assertFails(['matrix'], 'no results yet')
        self.play('released', recorded.Recording().race(
            'delete-delete', 'leak'))
        self.assertProblem('nova/demo [released]: race attach-delete is '
                           'declared and no test reported it')

    def test_repeat(self):
        self.install()
        for _ in range(3):
            self.play('released', recorded.Recording().race(
                'delete-delete', 'leak'))
        out = self.assertWorks('functional', '--repeat', '3')
        self.assertIn('all 3 repetitions had the same results', out)

    def test_repeat_differs(self):
        self.install()
        self.play('released', recorded.Recording().race(
            'delete-delete', 'leak'))
        self.play('released', recorded.Recording().race(
            'delete-delete', 'yank', status='fail'))
        out = self.assertProblem(
            'not the same in all repetitions: nova/demo [released]: '
            'tests.functional.nova.delete-delete.test: leak, yank',
            '--repeat', '2')
        self.assertNotIn('had the same results', out)

    def test_missing_interpreter(self):
        self.demo.entry['python'] = '3.99'
        self.demo.write()
        status, out, _ = self.series('functional')
        self.assertEqual(1, status)
        self.assertIn('not run: nova/demo: needs Python 3.99: put it in '
                      'PATH', out)

    def test_missing_interpreter_of_one_target(self):
        other = dict(self.demo.entry, python='3.99')
        entries = {base.TARGET: self.demo.entry, 'nova/other': other}
        self.demo.write(entries)
        (self.demo.root / 'constraints' / 'nova-other.txt').write_text(
            'nova==1.0.0\n')
        self.install()
        for _ in range(2):
            self.play('released', recorded.Recording().race(
                'delete-delete', 'leak'))
        out = self.assertWorks('functional')
        self.assertIn('not run: nova/other: needs Python 3.99', out)
        self.assertIn('leak -> no series yet, 4.0 s  not run', out)
        self.assertProblem('not run, and --require-all was given: '
                           'nova/other', '--require-all')

    def test_patch_does_not_apply(self):
        self.make_series()
        path, = self.demo.patches
        path.write_text(path.read_text().replace('-LAST', '-MOST'))
        self.install()
        self.assertProblem('nova/demo: %s does not apply' % path.name)

    def test_wrong_arguments(self):
        for arguments in (['--repeat', '0'], ['--test', '('],
                          ['--arm', 'mine']):
            err = io.StringIO()
            with contextlib.redirect_stderr(err):
                error = self.assertRaises(SystemExit, main.main,
                                          ['functional', *arguments])
            self.assertEqual(2, error.code)
            self.assertTrue(err.getvalue().startswith('series: argument '))
            self.assertEqual(1, err.getvalue().count('\n'))

    def test_readme(self):
        self.install()
        self.play('released', recorded.Recording().race(
            'delete-delete', 'leak'))
        self.assertWorks('functional')
        path = self.demo.root / 'README.rst'
        self.assertFails(['matrix', '--readme'], 'README.rst')
        path.write_text('%s\n%s\n' % (matrix.BEGIN, matrix.END))
        self.assertWorks('matrix', '--readme')
        self.assertIn('leak -> no series yet', path.read_text())
        self.assertIn('nothing changed',
                      self.assertWorks('matrix', '--readme'))

    def test_silent_tests_are_given_up(self):
        self.install('#!/bin/sh\nexec sleep 600\n')
        self.useFixture(fixtures.MonkeyPatch('series.runner.DEADLINE', 0))
        self.useFixture(fixtures.MonkeyPatch('series.console.INTERVAL', 0.1))
        self.assertProblem('nova/demo [released]: no test ended within 0 s')

    def test_interrupt_ends_the_child(self):
        # The child says its number through a pipe of its own and then waits
        # for ever; the command has to end both.
        pipe = self.folder / 'pipe'
        os.mkfifo(pipe)
        self.install('#!/bin/sh\necho $$ > %(folder)s/pipe\n'
                     'exec sleep 600\n')
        command = subprocess.Popen(
            [sys.executable, '-m', 'series', '--workspace',
             str(self.demo.root), 'functional'],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(command.kill)
        child = int(pipe.read_text())
        command.send_signal(signal.SIGINT)
        _, err = command.communicate(timeout=60)
        self.assertEqual((130, b'series: interrupted\n'),
                         (command.returncode, err))
        self.assertRaises(ProcessLookupError, os.kill, child, 0)
