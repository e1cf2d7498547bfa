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

import os
import socket
import textwrap
import zipfile

import fixtures

from series import environment
from series import interpreters
from tests.unit.series import base


class TestEnvironment(base.TestCase):

    @property
    def made(self):
        return environment.Environment(self.demo.workspace, self.demo.target)

    def freeze(self, text):
        (self.demo.root / 'constraints' / 'nova-demo.txt').write_text(text)

    def offer(self):
        """Let uv install the release from a folder, without a network."""
        wheel = self.demo.index / 'nova-1.0.0-py3-none-any.whl'
        with zipfile.ZipFile(wheel, 'w') as archive:
            archive.writestr('nova/__init__.py', '')
            archive.writestr('nova-1.0.0.data/data/etc/nova/nova.conf', '')
            archive.writestr('nova-1.0.0.dist-info/METADATA', textwrap.dedent(
                """\
                Metadata-Version: 2.1
                Name: nova
                Version: 1.0.0
                """))
            archive.writestr('nova-1.0.0.dist-info/WHEEL', textwrap.dedent(
                """\
                Wheel-Version: 1.0
                Root-Is-Purelib: true
                Tag: py3-none-any
                """))
            archive.writestr('nova-1.0.0.dist-info/RECORD', '')
        for name, value in (('UV_NO_INDEX', '1'),
                            ('UV_FIND_LINKS', str(self.demo.index))):
            self.useFixture(fixtures.EnvironmentVariable(name, value))

    def test_make(self):
        self.offer()
        self.assertFalse(self.made.ready)
        self.assertWorks('env', base.TARGET)
        self.assertTrue(self.made.ready)
        site, = self.made.path.glob('lib/python3*/site-packages')
        self.assertTrue((site / 'etc' / 'nova' / 'nova.conf').is_file())
        self.assertIn('env there', self.assertWorks('status'))

    def test_make_again(self):
        self.offer()
        self.assertWorks('env', base.TARGET)
        (self.made.path / 'mine').write_text('')
        self.assertWorks('env', base.TARGET)
        self.assertTrue((self.made.path / 'mine').exists())
        self.freeze('# another set\nnova==1.0.0\n')
        self.assertFalse(self.made.ready)
        self.assertIn('env out of date', self.assertWorks('status'))
        self.assertWorks('env', base.TARGET)
        self.assertFalse((self.made.path / 'mine').exists())

    def test_interrupted(self):
        self.offer()
        self.assertWorks('env', base.TARGET)
        (self.made.path / 'stamp').unlink()
        (self.made.path / 'mine').write_text('')
        self.assertWorks('env', base.TARGET)
        self.assertFalse((self.made.path / 'mine').exists())
        self.assertTrue(self.made.ready)

    def test_no_network(self):
        with socket.socket() as closed:
            closed.bind(('127.0.0.1', 0))
            port = closed.getsockname()[1]
        for name, value in (
                ('UV_DEFAULT_INDEX', 'http://127.0.0.1:%d/simple' % port),
                ('UV_NO_CACHE', '1'), ('UV_HTTP_RETRIES', '0')):
            self.useFixture(fixtures.EnvironmentVariable(name, value))
        self.assertFails(['env', base.TARGET], 'nova/demo',
                         'cannot be reached')
        self.assertFalse(self.made.ready)

    def test_no_such_package(self):
        self.offer()
        self.freeze('nova==1.0.0\noslo.none==2.0\n')
        self.assertFails(['env', base.TARGET], 'oslo-none')
        self.assertFalse(self.made.ready)

    def test_missing_interpreter(self):
        self.demo.entry['python'] = '3.99'
        self.demo.write()
        self.assertFails(['env', base.TARGET], 'needs Python 3.99',
                         'pyenv install 3.99')
        self.assertFalse(self.made.path.exists())
        self.assertIn('needs Python 3.99', self.assertWorks('status'))

    def test_no_frozen_set(self):
        (self.demo.root / 'constraints' / 'nova-demo.txt').unlink()
        for command in ('env', 'functional'):
            self.assertFails([command, base.TARGET], 'nova/demo',
                             'constraints/nova-demo.txt')

    def test_frozen_set_without_versions(self):
        self.freeze('nova==1.0.0\noslo.log>=4\n')
        self.assertFails(['env', base.TARGET], 'nova-demo.txt:2',
                         'name==version')

    def test_frozen_set_of_another_release(self):
        self.freeze('nova==1.0.1\n')
        self.assertFails(['env', base.TARGET], 'nova==1.0.0 is not in it')


class TestSearchPath(base.TestCase):

    def test_pyenv_newest_first(self):
        root = self.demo.root
        for version in ('3.8.9', '3.8.18', '3.12.1'):
            (root / 'versions' / version / 'bin').mkdir(parents=True)
        self.useFixture(fixtures.EnvironmentVariable(
            'PYENV_ROOT', str(root)))
        self.useFixture(fixtures.EnvironmentVariable('PATH', '/bin'))
        self.addCleanup(interpreters.search_path.cache_clear)
        interpreters.search_path.cache_clear()
        self.assertEqual(
            ['/bin'] + [str(root / 'versions' / version / 'bin')
                        for version in ('3.12.1', '3.8.18', '3.8.9')],
            interpreters.search_path().split(os.pathsep))
