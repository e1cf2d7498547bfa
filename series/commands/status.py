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

"""Say what is there of each target and what is missing."""

from series import console
from series import environment
from series import interpreters
from series import tree


def add_arguments(parser):
    parser.add_argument('target', nargs='*', metavar='TARGET',
                        help='e.g. nova/2025.2 (default: all)')


def run(workspace, arguments):
    for target in workspace.select(arguments.target):
        console.say('%s: %s' % (target.name, '; '.join([
            _sdist(workspace, target), _tree(workspace, target),
            '%d patches' % len(workspace.patch_files(target)),
            _environment(workspace, target), _interpreter(target)])))
    return 0


def _sdist(workspace, target):
    return 'sdist there' if workspace.sdist(target).exists() else 'no sdist'


def _tree(workspace, target):
    there = tree.Tree(workspace, target)
    if not there.exists:
        return 'no tree'
    commits = len(there.commits)
    if there.changes:
        state = 'diverged: %d changed files' % len(there.changes)
    elif there.in_step:
        state = 'applied' if commits else 'base'
    elif there.known or not commits:
        state = 'older than the patches'
    else:
        state = 'diverged: %d commits' % commits
    return 'tree: ' + state


def _environment(workspace, target):
    made = environment.Environment(workspace, target)
    if made.ready:
        return 'env there'
    return 'env out of date' if made.path.exists() else 'no env'


def _interpreter(target):
    path = interpreters.find(target.python)
    return path or interpreters.missing(target.python)
