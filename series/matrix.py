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

"""The matrix: races down, targets across, both arms in each cell."""

import textwrap

from series import results

BEGIN = '.. matrix: begin (written by "series matrix --readme")'
END = '.. matrix: end'

#: What a cell says for the patched arm of a target that has no patches.
NO_SERIES = 'no series yet'

#: What a cell says for an arm that was not run.
NOT_RUN = 'not run'


def rows(cells, order=()):
    """What the matrix says, one row a race or a variant of one.

    A race has one row if all of its variants come to the same on each target
    and arm, and else one row a variant.

    :param cells: list of :class:`series.results.Cell` of one project
    :param order: races in the order of their rows; others come last
    :returns: list of ``(race, variant, title, {column: {arm: (outcomes,
        seconds)}})``, the outcomes without repetitions
    """
    races = {}
    for cell in cells:
        # Tests end in any order; their ids are in that of the variants.
        for result in sorted(cell.results, key=lambda result: result.test):
            if result.race:
                races.setdefault(result.race['race'], []).append(
                    (cell, result))
    table = []
    for race in dict.fromkeys([*order, *races]):
        found = races.get(race)
        if not found:
            continue
        title = found[0][1].race['title']
        whole = _collect(found)
        if all(len(outcomes) == 1 for arms in whole.values()
               for outcomes, _ in arms.values()):
            table.append((race, '', title, whole))
            continue
        variants = dict.fromkeys(result.race['variant']
                                 for _, result in found)
        for variant in variants:
            table.append((race, variant, title, _collect(
                [(cell, result) for cell, result in found
                 if result.race['variant'] == variant])))
    return table


def render(cells, columns, order=()):
    """Draw the matrix of each project as a table.

    :param cells: list of :class:`series.results.Cell`
    :param columns: ``{column: what to say for an arm without results}``, in
        the order of the table
    :param order: races in the order of their rows
    :returns: text without a line's end at its end
    """
    projects = {}
    for column, missing in columns.items():
        projects.setdefault(column.split('/')[0], {})[column] = missing
    return '\n\n'.join(
        _render_project(
            [cell for cell in cells if cell.column in own], own, order)
        for own in projects.values())


def replace(text, block):
    """Put a matrix between the two comments that mark its place.

    It is shown as it is, since its lines can be long.

    :param text: text of a file of reStructuredText
    :param block: what should be there
    :returns: the new text
    :raises ValueError: if the comments are not there once, in this order
    """
    before, begin, rest = text.partition(BEGIN + '\n')
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in after:
        raise ValueError('the lines "%s" and "%s" are needed, each once' % (
            BEGIN, END))
    return '%s%s\n::\n\n%s\n\n%s%s' % (
        before, begin, textwrap.indent(block, '    '), end, after)


def _collect(found):
    table = {}
    for cell, result in found:
        arms = table.setdefault(cell.column, {})
        outcomes, seconds = arms.setdefault(cell.arm, ([], []))
        seconds.append(result.seconds)
        if result.observed not in outcomes:
            outcomes.append(result.observed)
    return table


def _render_project(cells, columns, order):
    table = [('race', *columns)]
    run = {cell.column for cell in cells}
    titles = {}
    for race, variant, title, found in rows(cells, order):
        titles[race] = title
        table.append((results.describe(race, variant), *[
            _text(found.get(column, {}), missing) if column in run
            else NOT_RUN for column, missing in columns.items()]))
    table.append(('seconds a test', *[
        _seconds([result.seconds for cell in cells if cell.column == column
                  for result in cell.results if result.race])
        for column in columns]))
    legend = ['* %s: %s' % item for item in titles.items() if item[1]]
    return _table(table) + ('\n\n' + '\n'.join(legend) if legend else '')


def _text(arms, missing):
    if not arms:
        return '-'
    return '%s, %s' % (
        ' -> '.join('/'.join(arms[arm][0]) if arm in arms else missing
                    for arm in results.ARMS),
        _seconds([second for _, seconds in arms.values()
                  for second in seconds]))


def _seconds(seconds):
    return '%.1f s' % (sum(seconds) / len(seconds)) if seconds else '-'


def _table(table):
    widths = [max(map(len, column)) for column in zip(*table)]
    rule = '  '.join('=' * width for width in widths)
    lines = ['  '.join(text.ljust(width) for text, width in zip(
        row, widths)).rstrip() for row in table]
    return '\n'.join([rule, lines[0], rule, *lines[1:], rule])
