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

"""Source distributions: fetched by pip, used only if their hash is right."""

import hashlib
import os
import shutil
import sys
import tarfile
import tempfile

from series import console
from series import errors
from series import process

# What pip says when it does not get through to the index.
_NO_NETWORK = ('connection broken by', 'NewConnectionError',
               'NameResolutionError', 'ConnectTimeout', 'ConnectionError',
               'Failed to establish', 'Failed to connect')


def digest(path):
    """Hash a file.

    :param path: the file
    :returns: its SHA-256 in hexadecimal digits
    """
    sha256 = hashlib.sha256()
    with open(path, 'rb') as stream:
        for block in iter(lambda: stream.read(1 << 20), b''):
            sha256.update(block)
    return sha256.hexdigest()


def fetch(workspace, target):
    """Have a target's source distribution in the cache.

    :param workspace: a :class:`series.workspace.Workspace`
    :param target: a :class:`series.targets.Target`
    :returns: the file
    :raises SeriesError: if it cannot be fetched or its hash is wrong
    """
    path = workspace.sdist(target)
    if path.exists():
        _check(path, target)
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix='.') as folder:
        with console.busy('%s: fetching %s %s' % (
                target.name, target.project, target.release)):
            fetched = _download(folder, target)
        if digest(fetched) != target.sdist_sha256:
            raise errors.SeriesError(
                '%s: what pip fetched for %s %s has another hash than '
                'targets.yaml says: it was thrown away' % (
                    target.name, target.project, target.release))
        os.replace(fetched, path)
    return path


def unpack(path, folder):
    """Unpack a source distribution whose hash was checked.

    :param path: the file
    :param folder: folder to put its content in, without the folder that it
        has at its top
    :raises SeriesError: if it is not a source distribution
    """
    filters = ({'filter': 'data'} if hasattr(tarfile, 'data_filter') else {})
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix='.') as inner:
        try:
            with tarfile.open(path, 'r:gz') as archive:
                archive.extractall(inner, **filters)
        except (tarfile.TarError, OSError, EOFError) as error:
            raise errors.SeriesError('%s cannot be unpacked: %s' % (
                path, error))
        tops = os.listdir(inner)
        if len(tops) != 1:
            raise errors.SeriesError('%s is not a source distribution: %d '
                                     'folders at its top' % (path, len(tops)))
        shutil.copytree(os.path.join(inner, tops[0]), folder, symlinks=True,
                        dirs_exist_ok=True)


def _check(path, target):
    if digest(path) != target.sdist_sha256:
        raise errors.SeriesError(
            '%s: %s is damaged (its SHA-256 is not the one in targets.yaml): '
            'remove it and fetch again' % (target.name, path))


def _download(folder, target):
    # pip checks the hash of a requirement that has one before it unpacks the
    # file or runs anything in it, which it does to read the metadata.
    requirements = os.path.join(folder, 'requirements.txt')
    with open(requirements, 'w') as stream:
        stream.write('%s==%s --hash=sha256:%s\n' % (
            target.project, target.release, target.sdist_sha256))
    done = process.run([
        sys.executable, '-m', 'pip', 'download', '--quiet',
        '--disable-pip-version-check', '--no-input', '--no-deps',
        '--no-binary', ':all:', '--no-build-isolation',
        '--dest', os.path.join(folder, 'dest'), '--requirement',
        requirements])
    if done.returncode:
        raise errors.SeriesError('%s: pip cannot fetch %s %s: %s' % (
            target.name, target.project, target.release,
            _reason(done.stderr)))
    names = os.listdir(os.path.join(folder, 'dest'))
    if len(names) != 1:
        raise errors.SeriesError('%s: pip fetched %d files, not one' % (
            target.name, len(names)))
    return os.path.join(folder, 'dest', names[0])


def _reason(stderr):
    if 'DO NOT MATCH THE HASHES' in stderr:
        return ('the package index has a file with another hash than '
                'targets.yaml says')
    if any(name in stderr for name in _NO_NETWORK):
        return ('the package index cannot be reached: check the network and '
                "pip's configuration")
    return errors.last_line(stderr)
