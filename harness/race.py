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

"""A test of a race: what happened against what was declared."""

import json

from testtools import content
from testtools import content_type

from harness import declared

_JSON = content_type.ContentType('application', 'json')


class RaceMixin:
    """For a test case whose methods each run one race.

    :cvar race: name of the race in targets.yaml, e.g. ``delete-delete``
    :cvar title: how people call it, e.g. ``delete(A) with delete(B)``
    """

    race = None
    title = None

    def setUp(self):
        super().setUp()
        self.declared = declared.Declared.from_environ()

    def conclude(self, observed, variant='', story=''):
        """End a test: compare what happened with what is declared.

        On the released arm a test passes by seeing exactly the failure that
        the target declares. On other arms it passes if the invariants held.

        :param observed: one of :data:`harness.declared.OUTCOMES`
        :param variant: e.g. ``shared_targets=True``
        :param story: the schedule and the violations, as text; shown if the
            test fails
        """
        expected = self.declared.outcome(self.race, variant)
        report = {'race': self.race, 'title': self.title, 'variant': variant,
                  'observed': observed, 'declared': expected}
        self.addDetail('race', content.Content(
            _JSON, lambda: [json.dumps(report).encode('utf-8')]))
        self.assertEqual(
            expected, observed,
            '%s on %s, %s arm: declared %s, observed %s\n%s' % (
                self.title, self.declared.target, self.declared.arm,
                expected, observed, story))
