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

import ddt

from tests.unit.series import base


@ddt.ddt
class TestTargets(base.TestCase):

    def test_valid(self):
        target = self.demo.target
        self.assertEqual('nova-demo', target.slug)
        self.assertEqual({'delete-delete': {None: 'leak'}}, target.released)

    def test_released(self):
        self.demo.entry['released'] = {
            'delete-delete': {'shared_targets=True': 404,
                              'shared_targets=None': 'holds'}}
        self.demo.write()
        self.assertEqual(
            {'delete-delete': {'shared_targets=True': '404',
                               'shared_targets=None': 'holds'}},
            self.demo.target.released)

    @ddt.data(
        ({'project': 'cinder'}, 'project cinder does not fit'),
        ({'branch': 7}, 'branch is 7'),
        ({'release': '1.0'}, "release is '1.0'"),
        ({'sdist_sha256': 'abc'}, '64 hexadecimal digits'),
        ({'python': 3.1}, 'with the quotes'),
        ({'concurrency': 'eventlet'}, 'a list of strings'),
        ({'concurrency': []}, 'concurrency is empty'),
        ({'concurrency': ['gevent']}, 'gevent is none of'),
        ({'build_constraints': 'setuptools<58'}, 'a list of strings'),
        ({'bugs': {}}, 'bugs should map'),
        ({'bugs': {2048837: 'not fixed'}}, 'a number in quotes'),
        ({'bugs': {'2048837': ''}}, 'what upstream did about it'),
        ({'released': ['leak']}, 'map races to outcomes'),
        ({'released': {'a': 'leaks'}}, 'leaks is none of'),
        ({'released': {'a': {}}}, 'race a has no outcome'),
        ({'relased': {}}, 'unknown key relased'),
    )
    @ddt.unpack
    def test_wrong(self, changes, words):
        self.demo.entry.update(changes)
        self.demo.write()
        self.assertFails(['status'], 'nova/demo: ', words)

    def test_missing_key(self):
        del self.demo.entry['branch']
        self.demo.write()
        self.assertFails(['status'], 'nova/demo: branch is missing')

    def test_wrong_name(self):
        self.demo.write({'glance/demo': self.demo.entry})
        self.assertFails(['status'], 'glance/demo', '<project>/<series>')

    def test_no_mapping(self):
        self.demo.write({'nova/demo': 'stable/demo'})
        self.assertFails(['status'], 'is not a mapping')

    @ddt.data(('nova/demo: [', 'not valid YAML'), ('', 'a mapping'),
              ('nova/demo: {a: 1,\n a: 2}', 'key a occurs twice'))
    @ddt.unpack
    def test_wrong_file(self, text, words):
        (self.demo.root / 'patches' / 'targets.yaml').write_text(text)
        self.assertFails(['status'], 'targets.yaml', words)

    @ddt.data('fetch', 'apply', 'refresh', 'status', 'lint', 'env',
              'functional', 'verify')
    def test_unknown(self, command):
        self.assertFails([command, 'nova/none'],
                         'unknown target nova/none', 'nova/demo')
        self.assertFalse(self.demo.workspace.cache.exists())

    def test_no_workspace(self):
        (self.demo.root / 'patches' / 'targets.yaml').unlink()
        self.assertFails(['status'], 'run this in the checkout')
