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

"""The overlay has to load where the oldest supported Python runs.

What ``nova_ext.host_connections`` does is tested in Nova's own tree, by the
unit tests that the series adds: see ``tox -e verify``.
"""

import ast
import pathlib

import ddt
from oslotest import base

_ROOT = pathlib.Path(__file__).resolve().parents[3]
_FILES = sorted(
    str(path.relative_to(_ROOT))
    for package in ('nova_ext', 'cinder_ext')
    for path in (_ROOT / package).rglob('*.py'))


@ddt.ddt
class SyntaxTest(base.BaseTestCase):

    def test_there_are_files(self):
        self.assertIn('nova_ext/host_connections.py', _FILES)
        self.assertIn('cinder_ext/volume_status.py', _FILES)

    @ddt.data(*_FILES)
    def test_python_3_6(self, name):
        ast.parse((_ROOT / name).read_text(encoding='utf-8'),
                  filename=name, feature_version=(3, 6))
