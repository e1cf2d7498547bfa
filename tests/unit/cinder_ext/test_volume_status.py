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


import itertools
import unittest

from cinder_ext import volume_status

PRECEDENCE = ['attached', 'attaching', 'detaching', 'reserved']


class FromAttachmentsTest(unittest.TestCase):

    def test_none_left(self):
        self.assertEqual(('available', 'detached'),
                         volume_status.from_attachments([]))

    def test_precedence(self):
        for first, second in itertools.combinations(PRECEDENCE, 2):
            with self.subTest(first=first, second=second):
                for order in ([first, second], [second, first]):
                    self.assertEqual(
                        first, volume_status.from_attachments(order)[1])

    def test_status(self):
        self.assertEqual(
            ['in-use', 'attaching', 'detaching', 'reserved'],
            [volume_status.from_attachments([each])[0] for each in PRECEDENCE])

    def test_error_is_never_available(self):
        for error in ('error_attaching', 'error_detaching'):
            self.assertEqual(('in-use', 'attached'),
                             volume_status.from_attachments([error]))
            self.assertEqual(
                ('reserved', 'reserved'),
                volume_status.from_attachments([error, 'reserved']))

    def test_takes_an_iterator(self):
        self.assertEqual(('in-use', 'attached'),
                         volume_status.from_attachments(iter(['attached'])))


class AfterDetachTest(unittest.TestCase):

    def test_statuses_of_attachments(self):
        for status in (None, 'available', 'reserved', 'attaching', 'in-use',
                       'detaching', 'error_attaching', 'error_detaching'):
            with self.subTest(status=status):
                self.assertEqual(
                    {'status': 'reserved', 'attach_status': 'reserved'},
                    volume_status.after_detach(status, None, ['reserved']))

    def test_statuses_of_other_operations(self):
        for status in ('creating', 'downloading', 'uploading', 'extending',
                       'retyping', 'backing-up', 'restoring-backup',
                       'maintenance', 'awaiting-transfer', 'error',
                       'error_deleting', 'error_extending'):
            with self.subTest(status=status):
                self.assertEqual(
                    {'attach_status': 'detached'},
                    volume_status.after_detach(status, None, []))

    def test_volume_being_deleted(self):
        for status in ('deleting', 'deleted', 'unmanaging',
                       'error_managing_deleting'):
            with self.subTest(status=status):
                self.assertEqual(
                    {}, volume_status.after_detach(status, None, []))

    def test_migration(self):
        for migration_status in ('starting', 'migrating', 'completing',
                                 'target:id'):
            with self.subTest(migration_status=migration_status):
                self.assertEqual(
                    {'attach_status': 'detached'},
                    volume_status.after_detach(
                        'in-use', migration_status, []))

    def test_migration_over(self):
        for migration_status in (None, '', 'success', 'error'):
            with self.subTest(migration_status=migration_status):
                self.assertEqual(
                    {'status': 'available', 'attach_status': 'detached'},
                    volume_status.after_detach(
                        'in-use', migration_status, []))
