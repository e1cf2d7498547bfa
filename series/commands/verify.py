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

"""Check each commit of the series with the targets' own tests."""

from series import commands
from series import console
from series import interpreters
from series import runner
from series import verification


def add_arguments(parser):
    parser.add_argument('target', nargs='*', metavar='TARGET',
                        help='e.g. nova/2025.2 (default: all)')
    parser.add_argument('--concurrency', type=commands.positive,
                        metavar='N',
                        default=runner.cores(),
                        help='worker processes (default: one a core)')


def run(workspace, arguments):
    problems = []
    for target in workspace.select(arguments.target):
        if not workspace.patch_files(target):
            console.say('%s: no series yet' % target.name)
            continue
        try:
            for problem in verification.Verification(
                    workspace, target, arguments.concurrency).run():
                problems.append(problem)
                console.say('PROBLEM: %s' % problem)
        except interpreters.NoInterpreter as error:
            console.say('%s: not run: %s' % (target.name, error))
            problems.append(str(error))
    console.say('verify: %s' % (
        '%d problems' % len(problems) if problems else 'in order'))
    return 1 if problems else 0
