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

"""Put the series on the trees of targets."""

from series import console
from series import tree


def add_arguments(parser):
    parser.add_argument('target', nargs='+', metavar='TARGET',
                        help='e.g. nova/2025.2')
    parser.add_argument('--discard', action='store_true',
                        help='throw away changes and commits that are only '
                             'in the tree')


def run(workspace, arguments):
    for target in workspace.select(arguments.target):
        applied = tree.Tree(workspace, target)
        with workspace.locked(target):
            done = applied.apply(arguments.discard)
        console.say('%s: %d patches %s in %s' % (
            target.name, len(workspace.patch_files(target)),
            'applied' if done else 'were applied already', applied.path))
    return 0
