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

from harness.nova import repertoire
from tests.unit.harness import base


class TestParse(base.TestCase):

    def names(self, *texts):
        return [str(operation) for operation in repertoire.parse(texts)]

    def test_servers(self):
        self.assertEqual(['delete(A)', 'detach(B)'],
                         self.names('delete', 'detach'))
        self.assertEqual(['attach(C)', 'delete(C)'],
                         self.names('attach(C)', ' delete(C)'))

    def test_bad(self):
        for texts in (['fly'], ['delete(D)'], ['delete()'], [''],
                      ['delete(A)', 'delete(A)']):
            self.assertRaises(
                repertoire.BadOperation, repertoire.parse, texts)

    def test_more_than_three(self):
        self.assertRaises(repertoire.BadOperation, repertoire.parse,
                          ['delete', 'detach', 'offload', 'attach'])


class TestPairs(base.TestCase):

    def test_each_once(self):
        pairs = [tuple(pair) for pair in repertoire.pairs()]
        self.assertEqual(len(set(pairs)), len(pairs))
        for pair in pairs:
            self.assertEqual(list(pair), [
                str(operation) for operation in repertoire.parse(pair)])
        self.assertIn(('attach(A)', 'delete(A)'), pairs)
        self.assertIn(('delete(A)', 'delete(B)'), pairs)
