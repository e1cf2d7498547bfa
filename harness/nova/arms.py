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

"""Which Nova a test really runs."""

import os
import sys


class WrongArm(Exception):
    """Python would import another Nova than the arm asks for."""


def check(arm, module_file, environ=None, prefix=None):
    """Check that a module comes from where the arm has its code.

    :param arm: ``released``, ``patched`` or ``overlay``
    :param module_file: ``__file__`` of the package ``nova``
    :param environ: mapping to read instead of ``os.environ``
    :param prefix: where the Python environment is, instead of ``sys.prefix``
    :raises WrongArm: if it does not
    """
    environ = os.environ if environ is None else environ
    where = os.path.realpath(module_file)
    if arm == 'patched':
        tree = environ.get('SERIES_TREE')
        if not tree:
            raise WrongArm('SERIES_TREE is not set: the patched arm needs the '
                           'tree that has the series applied')
        if not _is_below(where, tree):
            raise WrongArm('the patched arm imports nova from %s, not from '
                           'SERIES_TREE %s: put the tree first in PYTHONPATH' %
                           (where, tree))
    elif not (_is_below(where, prefix or sys.prefix) and
              'site-packages' in where.split(os.sep)):
        raise WrongArm('the %s arm imports nova from %s, not from the '
                       'site-packages of %s: take it out of PYTHONPATH' %
                       (arm, where, prefix or sys.prefix))


def _is_below(path, folder):
    return path.startswith(os.path.join(os.path.realpath(folder), ''))
