import { expect, it } from '@jest/globals';
import { EncryptionKey } from '../../src/linotp/secrets.ts';
import { readInstallation } from '../../src/linotp/installation-reading.ts';
import { LinotpSource } from '../../src/linotp/linotp-source.ts';

it('reads a table of 300,000 imported users that arrives at once', async () => {
  const tables = ['Token', 'Config', 'imported_user'].map((name) => ({ name, kind: 'table' }));
  const users = Array.from({ length: 300_000 }, (_, userid) => ({ userid }));
  const source = await LinotpSource.open({
    dialect: 'postgresql',
    query: (sql) =>
      Promise.resolve(sql.includes('pg_class') ? tables : sql.includes('"imported_user"') ? users : []),
    close: () => Promise.resolve(),
  });
  const key = EncryptionKey.fromFile(Buffer.alloc(96));
  if (key === undefined) {
    throw new Error('no key');
  }
  expect((await readInstallation(source, key, 'utf8')).users).toHaveLength(300_000);
});
