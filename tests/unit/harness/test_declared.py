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

from unittest import mock

import ddt
import fixtures

from harness import declared
from tests.unit.harness import base

TARGETS = '''
nova/one:
  released:
    plain: leak
    unquoted: 404
    wrong: perhaps
    variants:
      shared_targets=True: holds
      shared_targets=False: yank
nova/two: {}
'''


@ddt.ddt
class TestDeclared(base.TestCase):

    def setUp(self):
        super().setUp()
        folder = self.useFixture(fixtures.TempDir())
        with open(folder.join('targets.yaml'), 'w') as stream:
            stream.write(TARGETS)
        self.useFixture(fixtures.MonkeyPatch(
            'harness.declared._TARGETS', folder.join('targets.yaml')))

    def read(self, target='nova/one', arm='released'):
        return declared.Declared.from_environ(
            {'SERIES_TARGET': target, 'SERIES_ARM': arm})

    @ddt.data(('plain', '', 'leak'),
              ('plain', 'shared_targets=None', 'leak'),
              ('unquoted', '', '404'),
              ('variants', 'shared_targets=True', 'holds'),
              ('variants', 'shared_targets=False', 'yank'))
    @ddt.unpack
    def test_released(self, race, variant, outcome):
        self.assertEqual(outcome, self.read().outcome(race, variant))

    @ddt.data(('absent', ''), ('wrong', ''), ('variants', ''),
              ('variants', 'shared_targets=None'))
    @ddt.unpack
    def test_not_declared(self, race, variant):
        error = self.assertRaises(
            declared.NotDeclared, self.read().outcome, race, variant)

        self.assertIn('nova/one does not declare what race %s' % race,
                      str(error))

    def test_nothing_declared(self):
        self.assertRaises(declared.NotDeclared,
                          self.read('nova/two').outcome, 'plain')

    @ddt.data('patched', 'overlay')
    def test_other_arms_hold(self, arm):
        self.assertEqual('holds', self.read(arm=arm).outcome('plain'))
        self.assertEqual('holds', self.read(arm=arm).outcome('absent'))

    def test_unknown_target(self):
        error = self.assertRaises(
            declared.NotDeclared, self.read, 'nova/three')

        self.assertEqual('unknown target nova/three: targets.yaml has '
                         'nova/one, nova/two', str(error))

    @ddt.data('SERIES_TARGET', 'SERIES_ARM')
    def test_variable_missing(self, name):
        environ = {'SERIES_TARGET': 'nova/one', 'SERIES_ARM': 'released'}
        del environ[name]

        error = self.assertRaises(
            declared.NotDeclared, declared.Declared.from_environ, environ)

        self.assertIn('%s is not set' % name, str(error))

    def test_environment_of_the_process(self):
        with mock.patch.dict('os.environ', {'SERIES_TARGET': 'nova/one',
                                            'SERIES_ARM': 'released'}):
            found = declared.Declared.from_environ()

        self.assertEqual(('nova/one', 'released'), (found.target, found.arm))
