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

import textwrap

import testtools

from series import matrix
from series import results
from tests.unit.series import recorded
from tests.unit.series import test_results


def cell(target, arm, recording):
    made = test_results.cell(recording, arm=arm)
    return results.Cell(target, 'eventlet', arm, made.runs)


class TestRender(testtools.TestCase):

    def assertRendered(self, expected, *arguments):
        self.assertEqual(textwrap.dedent(expected).strip(),
                         matrix.render(*arguments))

    def test_one_row_a_race(self):
        self.assertRendered(
            """
            ==============  ====================
            race            nova/demo
            ==============  ====================
            delete-delete   leak -> holds, 4.0 s
            attach-delete   yank -> holds, 4.0 s
            seconds a test  4.0 s
            ==============  ====================

            * delete-delete: delete(A) with delete(B)
            * attach-delete: delete(A) with delete(B)
            """,
            [cell('nova/demo', 'released', recorded.Recording()
                  .race('attach-delete', 'yank')
                  .race('delete-delete', 'leak', variant='a')
                  .race('delete-delete', 'leak', variant='b')),
             cell('nova/demo', 'patched', recorded.Recording()
                  .race('attach-delete', 'holds')
                  .race('delete-delete', 'holds', variant='a')
                  .race('delete-delete', 'holds', variant='b'))],
            {'nova/demo': matrix.NOT_RUN},
            ['delete-delete', 'attach-delete'])

    def test_one_row_a_variant(self):
        self.assertRendered(
            """
            ===============  =====================
            race             nova/demo
            ===============  =====================
            delete-delete a  leak -> holds, 3.0 s
            delete-delete b  holds -> holds, 4.0 s
            seconds a test   3.5 s
            ===============  =====================
            """,
            [cell('nova/demo', 'released', recorded.Recording()
                  .race('delete-delete', 'holds', variant='b', title='')
                  .race('delete-delete', 'leak', variant='a', title='',
                        seconds=2.0)),
             cell('nova/demo', 'patched', recorded.Recording()
                  .race('delete-delete', 'holds', variant='a', title='')
                  .race('delete-delete', 'holds', variant='b', title=''))],
            {'nova/demo': matrix.NOT_RUN})

    def test_projects_and_gaps(self):
        self.assertRendered(
            """
            ==============  ======================  ==========
            race            nova/demo               nova/other
            ==============  ======================  ==========
            a               leak -> not run, 4.0 s  not run
            seconds a test  4.0 s                   -
            ==============  ======================  ==========

            ==============  ===========================
            race            cinder/demo
            ==============  ===========================
            b               404 -> no series yet, 4.0 s
            seconds a test  4.0 s
            ==============  ===========================
            """,
            [cell('nova/demo', 'released',
                  recorded.Recording().race('a', 'leak', title='')),
             cell('cinder/demo', 'released',
                  recorded.Recording().race('b', '404', title=''))],
            {'nova/demo': matrix.NOT_RUN, 'nova/other': matrix.NOT_RUN,
             'cinder/demo': matrix.NO_SERIES})

    def test_unlike_repetitions(self):
        made = test_results.cell(
            recorded.Recording().race('a', 'leak', title=''),
            recorded.Recording().race('a', 'holds', title=''))
        self.assertIn('leak/holds -> not run', matrix.render(
            [made], {'nova/demo': matrix.NOT_RUN}))


class TestReplace(testtools.TestCase):

    def test_replace(self):
        text = 'Before\n\n%s\n\nold\n\n%s\n\nAfter\n' % (
            matrix.BEGIN, matrix.END)
        new = matrix.replace(text, 'new\n\nlines')
        self.assertEqual(
            'Before\n\n%s\n\n::\n\n    new\n\n    lines\n\n%s\n\nAfter\n'
            % (matrix.BEGIN, matrix.END), new)
        self.assertEqual(new, matrix.replace(new, 'new\n\nlines'))

    def test_no_place(self):
        for text in ('', matrix.BEGIN + '\n', matrix.END + '\n',
                     2 * ('%s\n%s\n' % (matrix.BEGIN, matrix.END))):
            self.assertRaises(ValueError, matrix.replace, text, 'new')
