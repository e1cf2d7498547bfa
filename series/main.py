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

"""The ``series`` command."""

import argparse
import importlib

from series import console
from series import errors
from series import interrupts
from series import workspace

COMMANDS = ('fetch', 'apply', 'refresh', 'status', 'lint', 'env',
            'functional', 'explore', 'mutate', 'verify', 'matrix')


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        console.complain('%s (see "%s --help")' % (message, self.prog))
        self.exit(2)


def main(argv=None):
    """Run one command.

    :param argv: arguments, those of the process if None
    :returns: exit status: 0 if all is well, 1 if the command found
        something wrong, 2 if it could not do its work, 130 if it was
        interrupted
    """
    parser = _Parser(
        prog='series', description='Patch series for released Nova and '
                                   'Cinder, and their functional tests.')
    parser.add_argument('--workspace', metavar='FOLDER', default='.',
                        help='the checkout (default: the one that the '
                             'current folder is in)')
    parser.add_argument('--cache', metavar='FOLDER',
                        help='where to keep trees, environments and results '
                             '(default: .cache in the checkout)')
    commands = parser.add_subparsers(dest='command', metavar='COMMAND',
                                     required=True)
    for name in COMMANDS:
        module = importlib.import_module('series.commands.' + name)
        text = module.__doc__.splitlines()[0]
        command = commands.add_parser(name, help=text, description=text)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    arguments = parser.parse_args(argv)
    try:
        interrupts.install()
        return arguments.run(
            workspace.Workspace.find(arguments.workspace, arguments.cache),
            arguments)
    except errors.SeriesError as error:
        console.complain(str(error))
        return 2
    except KeyboardInterrupt:
        console.complain('interrupted')
        return 130
