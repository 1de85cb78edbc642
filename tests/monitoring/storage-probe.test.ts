import { describe, expect, it } from '@jest/globals';

import type { Sealed, Vault } from '../../src/keys/vault.ts';
import { systemRandom } from '../../src/kernel/system-random.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { StorageProbe } from '../../src/monitoring/storage-probe-store.ts';
import { databaseOfTests } from '../support/database/test-database.ts';

const test = databaseOfTests();

const inverted = (bytes: Uint8Array): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0xff));

/** Seals by inverting each byte: enough to be unreadable, and it opens again. */
type Probed = Pick<Vault, 'seal' | 'open'>;

const vaultWith = (change: Partial<Probed> = {}): Probed => ({
  seal: (plain) => inverted(plain) as Sealed,
  open: (secret) => inverted(secret),
  ...change,
});

const encrypts = (vault: Probed): Promise<boolean> =>
  new StorageProbe({
    database: test.database,
    vault,
    freshVault: () => Promise.resolve(vault),
    random: systemRandom,
  }).encrypts();

describe('the check of storage encryption', () => {
  it('says yes when what is stored is sealed and opens again', async () => {
    expect(await encrypts(vaultWith())).toBe(true);
  });

  it.each(['hex', 'base64', 'base64url', 'latin1'] as const)(
    'says no when %s shows the plain text',
    async (form) => {
      const spelled = vaultWith({
        seal: (plain) =>
          Buffer.concat([
            Buffer.from('v1:'),
            Buffer.from(Buffer.from(plain).toString(form), form === 'latin1' ? 'latin1' : 'utf8'),
          ]) as Sealed,
        open: (secret) => {
          const text = secret.subarray(3);
          return form === 'latin1' ? text : Buffer.from(text.toString('utf8'), form);
        },
      });
      expect(await encrypts(spelled)).toBe(false);
    },
  );

  it('says no when what is stored opens to something else, or not at all', async () => {
    expect(await encrypts(vaultWith({ open: () => Buffer.alloc(32) }))).toBe(false);
    const broken = (): never => {
      throw new ServiceError('secret.unreadable', 'The secret cannot be read');
    };
    expect(await encrypts(vaultWith({ open: broken }))).toBe(false);
  });

  it('fails when there is no key, rather than to say no', async () => {
    const locked = (): never => {
      throw new ServiceError('key.unavailable', 'The key is not loaded');
    };
    await expect(encrypts(vaultWith({ seal: locked }))).rejects.toMatchObject({ code: 'key.unavailable' });
    await expect(encrypts(vaultWith({ open: locked }))).rejects.toMatchObject({ code: 'key.unavailable' });
  });

  it('opens with the keys that the security module gives now, not with those in memory', async () => {
    const requested: string[] = [];
    const probe = (open: Vault['open']): Promise<boolean> => {
      const freshVault = () => Promise.resolve({ open });
      const vault = vaultWith({
        open: () => {
          requested.push('memory');
          return Buffer.alloc(0);
        },
      });
      return new StorageProbe({
        database: test.database,
        vault,
        freshVault,
        random: systemRandom,
      }).encrypts();
    };
    expect(await probe((secret) => inverted(secret))).toBe(true);
    expect(await probe(() => Buffer.alloc(32))).toBe(false);
    expect(requested).toEqual([]);
  });

  it('fails when the security module is not ready, rather than to say no', async () => {
    const away = new ServiceError('security-module.unavailable', 'The security module is not ready');
    const freshVault = () => Promise.reject(away);
    const vault = vaultWith();
    const probe = new StorageProbe({ database: test.database, vault, freshVault, random: systemRandom });
    await expect(probe.encrypts()).rejects.toBe(away);
  });

  it('leaves nothing behind: no row, and a configuration that did not change', async () => {
    const { knex } = test.database;
    const state = async (): Promise<unknown> => ({
      rows: await knex('configuration').select(),
      revision: await knex('configuration_state').select(),
    });
    const before = await state();
    await Promise.all([encrypts(vaultWith()), encrypts(vaultWith())]);
    expect(await state()).toEqual(before);
  });
});
