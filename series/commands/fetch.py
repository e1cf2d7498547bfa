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

"""Fetch the releases of targets and make their trees."""

from series import console
from series import sdist
from series import tree


def add_arguments(parser):
    parser.add_argument('target', nargs='+', metavar='TARGET',
                        help='e.g. nova/2025.2')


def run(workspace, arguments):
    for target in workspace.select(arguments.target):
        made = tree.Tree(workspace, target)
        with workspace.locked(target):
            sdist.fetch(workspace, target)
            made.make()
        console.say('%s: the tree is %s' % (target.name, made.path))
    return 0
