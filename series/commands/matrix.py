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

"""Print the last results of the functional tests."""

import dataclasses
import json
import os

from series.commands import functional
from series import console
from series import errors
from series import matrix
from series import results


def add_arguments(parser):
    parser.add_argument('--json', action='store_true',
                        help='print the results as JSON')
    parser.add_argument('--readme', action='store_true',
                        help='put the matrix in README.rst')


def run(workspace, arguments):
    targets = workspace.select([])
    cells = results.load(workspace.cache / 'results', targets)
    if not cells:
        raise errors.SeriesError(
            'there are no results yet: run "series functional"')
    if arguments.json:
        console.say(json.dumps([dataclasses.asdict(cell) for cell in cells],
                               indent=1))
        return 0
    block = functional.render(workspace, targets, cells)
    if arguments.readme:
        _write(workspace.root / 'README.rst', block)
        return 0
    console.say(block)
    released = {target.name: target.released for target in targets}
    problems = [problem for cell in cells for _, problem in results.judge(
        cell, released[cell.target])]
    for problem in problems:
        console.say('PROBLEM: %s' % problem)
    return 1 if problems else 0


def _write(path, block):
    try:
        text = path.read_text(encoding='utf-8')
        new = matrix.replace(text, block)
    except (OSError, ValueError) as error:
        raise errors.SeriesError('%s: %s' % (
            path, getattr(error, 'strerror', None) or error))
    if new != text:
        beside = path.with_name('.' + path.name)
        beside.write_text(new, encoding='utf-8')
        os.replace(beside, path)
    console.say('%s: %s' % (
        path, 'written' if new != text else 'nothing changed'))
