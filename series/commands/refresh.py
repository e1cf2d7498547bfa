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

"""Write the patches of targets from the commits in their trees."""

from series import console
from series import tree


def add_arguments(parser):
    parser.add_argument('target', nargs='+', metavar='TARGET',
                        help='e.g. nova/2025.2')
    parser.add_argument('--force', action='store_true',
                        help='replace patches that the tree never had')


def run(workspace, arguments):
    for target in workspace.select(arguments.target):
        with workspace.locked(target):
            changed, removed = tree.Tree(workspace, target).refresh(
                arguments.force)
        for name in changed:
            console.say('%s: %s written' % (target.name, name))
        for name in removed:
            console.say('%s: %s removed' % (target.name, name))
        if not changed and not removed:
            console.say('%s: nothing changed' % target.name)
    return 0
