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

import ddt
import fixtures

from harness.nova import arms
from tests.unit.harness import base


@ddt.ddt
class TestCheck(base.TestCase):

    def setUp(self):
        super().setUp()
        self.prefix = self.useFixture(fixtures.TempDir()).path
        self.tree = self.useFixture(fixtures.TempDir()).path
        self.installed = os.path.join(
            self.prefix, 'lib', 'site-packages', 'nova', '__init__.py')
        self.patched = os.path.join(self.tree, 'nova', '__init__.py')

    def check(self, arm, where, environ=None):
        arms.check(arm, where, environ or {}, self.prefix)

    @ddt.data('released', 'overlay')
    def test_installed(self, arm):
        self.check(arm, self.installed)

    @ddt.data('released', 'overlay')
    def test_tree_where_the_release_is_wanted(self, arm):
        error = self.assertRaises(
            arms.WrongArm, self.check, arm, self.patched)

        self.assertIn('take it out of PYTHONPATH', str(error))

    def test_patched(self):
        self.check('patched', self.patched, {'SERIES_TREE': self.tree})

    def test_release_where_the_tree_is_wanted(self):
        error = self.assertRaises(
            arms.WrongArm, self.check, 'patched', self.installed,
            {'SERIES_TREE': self.tree})

        self.assertIn('put the tree first in PYTHONPATH', str(error))

    def test_folder_with_a_similar_name(self):
        self.assertRaises(
            arms.WrongArm, self.check, 'patched',
            os.path.join(self.tree + '-old', 'nova', '__init__.py'),
            {'SERIES_TREE': self.tree})

    def test_no_tree(self):
        error = self.assertRaises(
            arms.WrongArm, self.check, 'patched', self.patched)

        self.assertIn('SERIES_TREE is not set', str(error))
