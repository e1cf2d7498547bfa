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

"""Explores as ``series explore`` asks, and tells it what it finds.

Run in the environment of a target as ``python -m harness.nova.exploring
REQUEST``. The request is JSON, and what is found is a line of JSON each on
standard output:

* ``schedules``: how many were run, with how many steps, in how many seconds
* ``failure``: a counterexample, and how often it was the same when run again
* ``error``: what kept it from exploring
"""

import json
import os
import sys
import traceback

# Standard output is kept for what is found; Nova may print what it likes.
_OUTPUT = os.fdopen(os.dup(1), 'w')
os.dup2(2, 1)

from harness.nova import explore  # noqa: E402 isort: skip

import logging  # noqa: E402

import testtools  # noqa: E402

from harness import declared  # noqa: E402
from harness.explorer import counterexample  # noqa: E402
from harness.explorer import exploration  # noqa: E402
from harness.explorer import schedules  # noqa: E402
from harness.nova import moves  # noqa: E402
from harness.nova import repertoire  # noqa: E402
from harness.nova import shared_volume  # noqa: E402


def say(kind, **fields):
    """Tell one thing.

    :param kind: ``schedules``, ``failure`` or ``error``
    :param fields: what is to be told
    """
    _OUTPUT.write(json.dumps(dict(fields, kind=kind)) + '\n')
    _OUTPUT.flush()


def main(request):
    """Do what a request asks.

    :param request: mapping, made by :func:`series.commands.explore.request`
    """
    operations = repertoire.parse(request['operations'])
    base = shared_volume.SharedVolumeTest
    if any(operation.kind.hosts > 1 for operation in operations):
        base = moves.MovesTest

    class Exploring(explore.ExploredMixin, base):

        def explore(self):
            # Formatting what nobody reads costs a third of the time.
            logging.disable(logging.WARNING)
            self.addCleanup(logging.disable, logging.NOTSET)
            explored = self.useFixture(explore.Explored(
                self, operations, **request['scenario']))
            _explore(explored.run, operations, request)

    result = testtools.TestResult()
    Exploring('explore').run(result)
    for _, text in result.errors + result.failures:
        say('error', text=text)


def _explore(run, operations, request):
    if request['replay']:
        strategy = schedules.Once(
            counterexample.load(request['replay']).steps)
    elif request['random']:
        strategy = schedules.Random(request['random'], request['seed'])
    else:
        strategy = schedules.Exhaustive(request['preemptions'])
    result = exploration.explore(run, strategy, _report)
    for failed in result.failures:
        if request['random']:
            failed = exploration.shorten(run, failed)
        failure = exploration.confirm(run, failed)
        say('failure', reproduced=failure.reproduced,
            replays=failure.replays, story=counterexample.story(failed.steps),
            example=counterexample.dump(counterexample.Counterexample(
                declared.Declared.from_environ().target,
                declared.Declared.from_environ().arm, request['mode'],
                [str(operation) for operation in operations],
                request['scenario'], failed.steps, failed.violations)))


def _report(result):
    say('schedules', count=result.count, steps=result.steps,
        seconds=result.seconds, failures=len(result.failures))


if __name__ == '__main__':
    try:
        main(json.loads(sys.argv[1]))
    except Exception:
        say('error', text=traceback.format_exc())
