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

"""Check the patches of targets."""

from series import console
from series import linter


def add_arguments(parser):
    parser.add_argument('target', nargs='*', metavar='TARGET',
                        help='e.g. nova/2025.2 (default: all)')


def run(workspace, arguments):
    targets = workspace.select(arguments.target)
    status = 0
    for finding in linter.lint(workspace, targets):
        console.say(str(finding))
        status |= finding.error
    console.say('lint: %d patches of %d targets: %s' % (
        sum(len(workspace.patch_files(target)) for target in targets),
        len(targets), 'not in order' if status else 'in order'))
    return int(status)
