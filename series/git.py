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

"""Run git so that its result depends on nobody's configuration."""

import os

from series import errors
from series import process

#: Who commits what the commands commit. The date is fixed, so that the same
#: input gives the same commit ids everywhere.
IDENTITY = {
    'GIT_AUTHOR_NAME': 'volume-races',
    'GIT_AUTHOR_EMAIL': 'volume-races@example.org',
    'GIT_AUTHOR_DATE': '2020-01-01T00:00:00+0000',
    'GIT_COMMITTER_NAME': 'volume-races',
    'GIT_COMMITTER_EMAIL': 'volume-races@example.org',
    'GIT_COMMITTER_DATE': '2020-01-01T00:00:00+0000',
}


def run(cwd, *arguments):
    """Run git, whatever comes of it.

    :param cwd: folder to run in
    :param arguments: git's arguments
    :returns: a ``subprocess.CompletedProcess``
    :raises SeriesError: if there is no git
    """
    return process.run(
        ('git',) + arguments, cwd=cwd,
        env=process.environment(
            GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM='1',
            # A folder without .git must not find the checkout's above it.
            GIT_CEILING_DIRECTORIES=str(cwd.parent),
            LC_ALL='C', TZ='UTC', **IDENTITY))


def check(cwd, *arguments):
    """Run git and take its output.

    :param cwd: folder to run in
    :param arguments: git's arguments
    :returns: the output, without white space at its end
    :raises SeriesError: if git fails
    """
    done = run(cwd, *arguments)
    if done.returncode:
        raise errors.SeriesError('git %s failed in %s: %s' % (
            arguments[0], cwd, errors.last_line(done.stderr or done.stdout)))
    return done.stdout.rstrip()
