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

"""Make the virtual environments of targets."""

from series import console
from series import environment


def add_arguments(parser):
    parser.add_argument('target', nargs='+', metavar='TARGET',
                        help='e.g. nova/2025.2')


def run(workspace, arguments):
    for target in workspace.select(arguments.target):
        made = environment.Environment(workspace, target)
        with workspace.locked(target):
            made.make()
        console.say('%s: the environment is %s' % (target.name, made.path))
    return 0
