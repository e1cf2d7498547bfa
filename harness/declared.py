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

"""What the target under test is, and what its released arm does."""

import os

import yaml

#: What a race can come to. ``holds``: no invariant was broken.
OUTCOMES = ('holds', 'leak', 'yank', 'lock', '404', 'wrong-status')

_TARGETS = os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), 'patches', 'targets.yaml')


class NotDeclared(Exception):
    """The environment or targets.yaml does not say what a test needs."""


class Declared:
    """The declarations for one target and one arm.

    :param target: name of the target, e.g. ``nova/2025.2``
    :param arm: ``released``, ``patched`` or ``overlay``
    :param released: ``{race: outcome}`` or ``{race: {variant: outcome}}``
    """

    def __init__(self, target, arm, released):
        self.target = target
        self.arm = arm
        self._released = released

    @classmethod
    def from_environ(cls, environ=None):
        """Read what ``series functional`` passes to the tests.

        :param environ: mapping to read instead of ``os.environ``
        :returns: a :class:`Declared`
        :raises NotDeclared: if a variable is missing or names no target
        """
        environ = os.environ if environ is None else environ
        try:
            target, arm = environ['SERIES_TARGET'], environ['SERIES_ARM']
        except KeyError as missing:
            raise NotDeclared(
                '%s is not set: run the tests by "tox -e functional", or set '
                'SERIES_TARGET and SERIES_ARM' % missing.args)
        with open(_TARGETS) as stream:
            targets = yaml.safe_load(stream)
        if target not in targets:
            raise NotDeclared('unknown target %s: targets.yaml has %s' % (
                target, ', '.join(sorted(targets))))
        return cls(target, arm, targets[target].get('released') or {})

    def outcome(self, race, variant=''):
        """What a race is expected to come to.

        :param race: name of the race, e.g. ``delete-delete``
        :param variant: e.g. ``shared_targets=True``
        :returns: one of ``OUTCOMES``
        :raises NotDeclared: if the target does not declare the race
        """
        if self.arm != 'released':
            return 'holds'
        outcome = self._released.get(race)
        if isinstance(outcome, dict):
            outcome = outcome.get(variant)
        # YAML reads an unquoted 404 as a number.
        outcome = str(outcome)
        if outcome not in OUTCOMES:
            raise NotDeclared('%s does not declare what race %s (%s) does on '
                              'the released arm' % (
                                  self.target, race, variant or 'no variant'))
        return outcome
