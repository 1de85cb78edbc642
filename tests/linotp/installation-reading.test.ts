import { expect, it } from '@jest/globals';
import { EncryptionKey } from '../../src/linotp/secrets.ts';
import { readInstallation } from '../../src/linotp/installation-reading.ts';
import type { LinotpSource, SourceRow, SourceTable } from '../../src/linotp/linotp-source.ts';

it('reads a table of 300,000 imported users that arrives at once', async () => {
  const users = Array.from({ length: 300_000 }, (_, userid) => ({ userid }));
  const source: LinotpSource = {
    dialect: 'postgresql',
    unread: [],
    has: () => true,
    count: () => Promise.resolve(0),
    close: () => Promise.resolve(),
    async *rows(table: SourceTable): AsyncIterable<readonly SourceRow[]> {
      await Promise.resolve();
      yield table === 'imported_user' ? users : [];
    },
  };
  const key = EncryptionKey.fromFile(Buffer.alloc(96));
  if (key === undefined) {
    throw new Error('no key');
  }
  expect((await readInstallation(source, key, 'utf8')).users).toHaveLength(300_000);
});
