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

"""Read the mails that git format-patch writes."""

import dataclasses
import email
import email.header
import hashlib
import re

#: A line like ``Closes-Bug: #1937084``.
TRAILER = re.compile(r'([A-Za-z][A-Za-z0-9-]*): (\S.*)')


@dataclasses.dataclass(frozen=True)
class Patch:
    """One patch of a series.

    :ivar name: name of the file
    :ivar subject: first line of the commit message
    :ivar body: list of the lines below it, trailers included
    :ivar trailers: list of ``(key, value)`` of the last paragraph
    :ivar files: names of the files it touches
    :ivar added: list of the lines it adds, as ``(file, line)``
    """

    name: str
    subject: str
    body: list
    trailers: list
    files: list
    added: list

    def values(self, key):
        """The values of a trailer.

        :param key: its key, in any case
        :returns: list of values
        """
        return [value for name, value in self.trailers
                if name.lower() == key.lower()]


def read(path):
    """Read a patch.

    :param path: the file, a ``pathlib.Path``
    :returns: a :class:`Patch`
    :raises ValueError: if it is not a mail of git format-patch
    """
    text = path.read_text(encoding='utf-8')
    if not re.match(r'From [0-9a-f]{40} ', text):
        raise ValueError('not a mail of git format-patch')
    # The line that starts a mail box is none of the mail's headers.
    mail = email.message_from_string(text.partition('\n')[2])
    subject = re.sub(r'^\[PATCH[^]]*\] ', '', _header(mail['Subject']))
    message, separator, diff = mail.get_payload().partition('\n---\n')
    if not separator:
        raise ValueError('there is no --- line between message and diff')
    body = message.rstrip('\n').split('\n')
    return Patch(path.name, subject, body, _trailers(body),
                 *_read_diff(diff))


def digest(paths):
    """Hash the content of a series.

    :param paths: the files in their order
    :returns: hexadecimal digits, the same for the same names and contents
    """
    sha256 = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        sha256.update(('%s\0%d\0' % (path.name, len(content))).encode())
        sha256.update(content)
    return sha256.hexdigest()


def _header(value):
    parts = email.header.decode_header(re.sub(r'\s*\n\s', ' ', value or ''))
    return str(email.header.make_header(parts))


def _trailers(body):
    paragraph = '\n'.join(body).rstrip().split('\n\n')[-1].split('\n')
    return [match.groups() for match in map(TRAILER.fullmatch, paragraph)
            if match]


def _read_diff(diff):
    files, added, old, new = [], [], 0, 0
    for line in diff.split('\n'):
        if old or new:
            # Inside a hunk, whose head says how many lines it has: a line
            # that starts with "---" is content here.
            if line.startswith('+'):
                added.append((files[-1], line[1:]))
            old -= line[:1] in ('-', ' ', '')
            new -= line[:1] in ('+', ' ', '')
            continue
        match = re.match(r'diff --git a/.* b/(.*)', line)
        if match:
            files.append(match.group(1))
        match = re.match(r'@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@', line)
        if match:
            old, new = (1 if count is None else int(count)
                        for count in match.groups())
    return files, added
