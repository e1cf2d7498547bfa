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

"""A schedule as a file that can be attached to a bug report."""

import collections
import json

from harness.explorer import scheduler
from harness.explorer import schedules

FORMAT = 1

_FIELDS = {'format': int, 'target': str, 'arm': str, 'mode': str,
           'operations': list, 'scenario': dict, 'steps': list,
           'violations': list}

Counterexample = collections.namedtuple(
    'Counterexample', 'target arm mode operations scenario steps violations')


class Unreadable(Exception):
    """Something is no counterexample; the message says why."""


def dump(example):
    """Write a schedule.

    :param example: a :class:`Counterexample`; ``steps`` is a list of
        :class:`harness.explorer.scheduler.Step`
    :returns: text
    """
    fields = example._asdict()
    fields['steps'] = [
        {'task': step.chosen.task, 'at': step.chosen.at,
         'instead of': [option._asdict() for option in step.options
                        if option != step.chosen],
         'position': step.options.index(step.chosen)}
        for step in example.steps]
    return json.dumps(dict(fields, format=FORMAT), indent=1,
                      sort_keys=True) + '\n'


def load(text):
    """Read a schedule.

    :param text: what :func:`dump` wrote
    :returns: a :class:`Counterexample`
    :raises Unreadable: if it is something else
    """
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise Unreadable('it is no JSON: %s' % error)
    if not isinstance(fields, dict) or fields.get('format') != FORMAT:
        raise Unreadable('it is no schedule of format %d' % FORMAT)
    for name, kind in _FIELDS.items():
        if not isinstance(fields.get(name), kind):
            raise Unreadable('its %s is missing or wrong' % name)
    try:
        steps = [_step(step) for step in fields['steps']]
    except (AttributeError, KeyError, TypeError) as error:
        raise Unreadable('one of its steps is wrong: %r' % error)
    return Counterexample(*(
        steps if name == 'steps' else fields[name]
        for name in Counterexample._fields))


def story(steps):
    """Tell a schedule to people.

    :param steps: list of :class:`harness.explorer.scheduler.Step`
    :returns: text; one line a step, with the task that goes from there,
        and a line where the turn passes to another task
    """
    lines = []
    task = None
    for number, step in enumerate(steps, 1):
        if step.chosen.task != task:
            if scheduler.is_preemption(task, step):
                stopped = next(option.at for option in step.options
                               if option.task == task)
                lines.append('     -- %s is stopped at %s' % (task, stopped))
            task = step.chosen.task
            lines.append('     %s goes' % task)
        lines.append('%3d    %s' % (number, step.chosen.at))
    return '\n'.join(lines)


def turns(steps):
    """Say a schedule in one line.

    :param steps: list of :class:`harness.explorer.scheduler.Step`
    """
    return ', '.join('%s:%d' % turn for turn in schedules.segments(steps))


def _step(fields):
    chosen = scheduler.Option(fields['task'], fields['at'])
    options = [scheduler.Option(option['task'], option['at'])
               for option in fields['instead of']]
    options.insert(fields['position'], chosen)
    return scheduler.Step(tuple(options), chosen)
