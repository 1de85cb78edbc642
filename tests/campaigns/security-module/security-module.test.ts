import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyIdOf } from '../../../src/keys/vault.ts';
import { isInRepository } from '../../repository/repository-file.ts';
import { runTankeeper, type ServerProcess } from '../../support/servers/server-process.ts';
import { KeyInstallation } from '../key-rotation/key-installation.ts';
import { describeWithSoftHsm, SoftHsm } from '../key-rotation/soft-hsm.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

interface KeyRow {
  readonly key_id: string;
  readonly wrapped: Buffer | null;
}

async function refusedStart(
  { environment }: KeyInstallation,
  more: Readonly<Record<string, string>>,
): Promise<string> {
  const { code, output } = await runTankeeper(['serve'], { PORT: '0', ...environment, ...more });
  expect({ code, output }).toEqual({ code: 1, output: expect.not.stringMatching(/\n\s+at /) as unknown });
  return output;
}

async function storageEncryption(of: KeyInstallation, server: ServerProcess): Promise<unknown> {
  return (await of.ask(server, '/monitoring/storageEncryption')).result;
}

async function registeredKeys({ test }: KeyInstallation): Promise<readonly KeyRow[]> {
  return test.database.knex('encryption_keys').select<KeyRow[]>('key_id', 'wrapped');
}

/** The only key of the database, which a module wrapped. */
async function wrappedKey(
  of: KeyInstallation,
): Promise<{ readonly keyId: string; readonly wrapped: Buffer }> {
  const [key, ...others] = await registeredKeys(of);
  expect(others).toEqual([]);
  return { keyId: key?.key_id ?? '', wrapped: key?.wrapped ?? Buffer.alloc(0) };
}

/** All that somebody has who has the database. */
async function everyRow({ test: { database } }: KeyInstallation): Promise<string> {
  const tables = await database
    .knex('pg_tables')
    .where({ schemaname: 'public' })
    .pluck<string[]>('tablename');
  const texts = tables.map((table) =>
    database.knex.raw<{ rows: object[] }>('SELECT t::text FROM ?? AS t', [table]),
  );
  return JSON.stringify((await Promise.all(texts)).map(({ rows }) => rows));
}

const refusal = (text: string): unknown => ({
  status: false,
  error: { code: 707, message: `ERR707: The security module is not ready: ${text}` },
});
/** It cannot be missing where it is installed beside the others. */
const withoutPackage: readonly [string, Record<string, string>, string][] = isInRepository(
  'node_modules/pkcs11js',
)
  ? []
  : [['no package', { NODE_PATH: '' }, 'npm install --no-save pkcs11js@']];
const accepted = { failcount: 0, result: true };

/** Waits for a line of the log, which may come after the answer. */
async function said(server: ServerProcess, text: string): Promise<void> {
  await expectSoon(() => server.output()).toContain(text);
}

describeWithSoftHsm('a PKCS #11 module that wraps the encryption key', () => {
  let hsm: SoftHsm;
  let installation: KeyInstallation;
  let one: ServerProcess;
  let linotp: ServerProcess;

  beforeAll(async () => {
    hsm = new SoftHsm();
    installation = await KeyInstallation.create(hsm.environment);
  });

  afterAll(async () => {
    await installation.remove();
    hsm.remove();
  });

  it('is not given a key that nobody asked for: the first start is refused, and writes no key', async () => {
    const output = await refusedStart(installation, hsm.environment);
    expect(output).toContain('The security module is not ready: the key that wraps is not there');
    expect(output).toContain("no secret key has the label 'wrapping key'");
    expect(await registeredKeys(installation)).toEqual([]);
    expect(existsSync(installation.keyFile)).toBe(false);
    expect(hsm.keys()).toEqual([]);
  });

  it('makes a key that cannot leave it where the operator asks for one; two servers that start at once share it', async () => {
    const environment = { ...hsm.environment, PKCS11_CREATE_KEY: 'on' };
    [one, linotp] = await Promise.all([
      installation.start(environment),
      installation.start({ ...environment, WIRE_DIALECT: 'linotp' }),
    ]);
    expect(hsm.keys()).toEqual([['wrapping key', 0, 1, 32]]);
    expect(await registeredKeys(installation)).toHaveLength(1);
    expect(await storageEncryption(installation, one)).toEqual({ status: true, value: true });
    expect(await storageEncryption(installation, linotp)).toMatchObject({ status: true });
    expect(await installation.enrol(one, 'T1')).toBe(true);
    expect(await installation.confirm([one, one], 'T1', 0)).toEqual(accepted);
  });

  it('leaves nothing in database or files that opens a secret', async () => {
    expect(readdirSync(installation.folder)).toEqual(['password']);
    const { keyId, wrapped } = await wrappedKey(installation);
    // version, nonce, 32 bytes encrypted, tag
    expect(wrapped).toHaveLength(1 + 12 + 32 + 16);
    const plain = hsm.unwrap(keyId, wrapped);
    expect(keyIdOf(Buffer.from(plain, 'hex'))).toBe(keyId);
    const rows = await everyRow(installation);
    expect(rows).toContain(keyId);
    for (const spelling of [plain, Buffer.from(plain, 'hex').toString('base64'), hsm.pin]) {
      expect(rows).not.toContain(spelling);
    }
    const output = await refusedStart(installation, { SECURITY_MODULE: 'file' });
    expect(output).toContain(`The database needs the encryption key ${keyId}`);
    expect(output).toContain("wrapped by key 'wrapping key' of token 'tankeeper test'");
    expect(readdirSync(installation.folder)).toEqual(['password']);
  });

  it('is missed by storageEncryption in both dialects while its token is away, and found again without a restart', async () => {
    hsm.removeTokens();
    try {
      const away = refusal('its token is not there');
      expect(await storageEncryption(installation, one)).toEqual(away);
      expect(await storageEncryption(installation, linotp)).toEqual(away);
      // The key of the database is in memory since the start.
      expect(await installation.confirm([one, one], 'T1', 1)).toEqual(accepted);
    } finally {
      hsm.bringTokensBack();
    }
    expect(await storageEncryption(installation, one)).toEqual({ status: true, value: true });
  });

  it('holds up nothing but its own question when it hangs, and that for a bounded time', async () => {
    hsm.hang();
    try {
      let answered = false;
      const requested = [storageEncryption(installation, one), storageEncryption(installation, one)];
      const waiting = Promise.all(requested).finally(() => {
        answered = true;
      });
      expect(await installation.confirm([one, one], 'T1', 2)).toEqual(accepted);
      expect(answered).toBe(false);
      const hanging = refusal('it does not answer');
      expect(await waiting).toEqual([hanging, hanging]);
    } finally {
      hsm.plugIn();
    }
    expect(await storageEncryption(installation, one)).toEqual({ status: true, value: true });
  });

  it('is given a wrong PIN once, not at each question, and the right one when the file changes', async () => {
    hsm.writePin('1111111');
    try {
      expect(await storageEncryption(installation, one)).toEqual(refusal('the PIN is wrong'));
      await said(one, 'CKR_PIN_INCORRECT');
      expect(one.output()).not.toContain('not tried again');
      expect(await storageEncryption(installation, one)).toEqual(refusal('the PIN is wrong'));
      await said(one, 'not tried again until the PIN file changes');
    } finally {
      hsm.writePin(hsm.pin);
    }
    expect(await storageEncryption(installation, one)).toEqual({ status: true, value: true });
    expect(one.output()).not.toMatch(/1111111|2468135/);
  });

  it('answers 707 when the wrapped key in the database was altered, and starts no server with it', async () => {
    const { wrapped } = await wrappedKey(installation);
    const altered = Buffer.from(wrapped);
    altered[20] = (altered[20] ?? 0) ^ 1;
    const { knex } = installation.test.database;
    await knex('encryption_keys').update({ wrapped: altered });
    try {
      const text = 'the wrapped key does not open: it was altered, or wrapped by another key';
      expect(await storageEncryption(installation, one)).toEqual(refusal(text));
      expect(await refusedStart(installation, hsm.environment)).toContain(text);
    } finally {
      await knex('encryption_keys').update({ wrapped });
    }
  });

  it('opens what it wrapped after a restart', async () => {
    await installation.stop();
    one = await installation.start(hsm.environment);
    expect(await installation.confirm([one, one], 'T1', 3)).toEqual(accepted);
    expect(await registeredKeys(installation)).toHaveLength(1);
    await installation.stop();
  });

  describe('refuses the start with a clear message', () => {
    it.each([
      ['another token', { PKCS11_TOKEN: 'other' }, "no token has the label 'other'"],
      ['another key', { PKCS11_KEY: 'other' }, "was wrapped by key 'wrapping key' of token"],
      ['no library', { PKCS11_LIBRARY: '/nowhere/module.so' }, 'its library cannot be used'],
      ['no PIN file', { PKCS11_PIN_FILE: '/nowhere/pin' }, 'the PIN file cannot be read'],
      ...withoutPackage,
    ])('for %s', async (_title, change, message) => {
      expect(await refusedStart(installation, { ...hsm.environment, ...change })).toContain(message);
    });

    it('for a wrong PIN, without telling it', async () => {
      hsm.writePin('1111111');
      const output = await refusedStart(installation, hsm.environment);
      hsm.writePin(hsm.pin);
      expect(output).toContain('The security module is not ready: the PIN is wrong');
      expect(output).not.toContain('1111111');
    });

    it('for a key that is lost: none is made in its place, whatever the operator asks for', async () => {
      hsm.destroyKeys();
      const output = await refusedStart(installation, { ...hsm.environment, PKCS11_CREATE_KEY: 'on' });
      expect(output).toContain('the key that wraps is not there');
      expect(hsm.keys()).toEqual([]);
    });

    it('for two tokens of one label', async () => {
      hsm.initToken();
      expect(await refusedStart(installation, hsm.environment)).toContain('several tokens have that label');
    });
  });
});

describeWithSoftHsm('an installation that moves from a key file to a PKCS #11 module', () => {
  let hsm: SoftHsm;
  let installation: KeyInstallation;

  beforeAll(async () => {
    hsm = new SoftHsm();
    installation = await KeyInstallation.create();
    const server = await installation.start({});
    expect(await installation.enrol(server, 'T1')).toBe(true);
    await installation.stop();
  });

  afterAll(async () => {
    await installation.remove();
    hsm.remove();
  });

  it('loses nothing: the key of the file is wrapped, and then the file may go', async () => {
    const environment = { ...hsm.environment, PKCS11_CREATE_KEY: 'on' };
    const nowhere = { ENCRYPTION_KEY_FILE: join(installation.folder, 'nowhere') };
    expect(await refusedStart(installation, { ...environment, ...nowhere })).toContain(
      'Bring the key file back for one start',
    );
    expect(hsm.keys()).toEqual([]);
    const moved = await installation.start(environment);
    expect(moved.output()).toContain('is no longer needed');
    expect(existsSync(installation.keyFile)).toBe(true);
    expect(await installation.confirm([moved, moved], 'T1', 0)).toEqual(accepted);
    await installation.stop();
    rmSync(installation.keyFile);
    const later = await installation.start(hsm.environment);
    expect(await installation.confirm([later, later], 'T1', 1)).toEqual(accepted);
    expect(await storageEncryption(installation, later)).toEqual({ status: true, value: true });
  });
});

describe('the key file as the security module', () => {
  it('is missed by storageEncryption while it is away, and by nothing else', async () => {
    const installation = await KeyInstallation.create();
    try {
      const server = await installation.start({});
      expect(await installation.enrol(server, 'T1')).toBe(true);
      expect(await storageEncryption(installation, server)).toEqual({ status: true, value: true });
      renameSync(installation.keyFile, `${installation.keyFile}.away`);
      expect(await storageEncryption(installation, server)).toEqual({
        status: false,
        error: { code: 707, message: 'ERR707: The encryption keys are not ready: the key file is missing' },
      });
      expect(await installation.confirm([server, server], 'T1', 0)).toEqual(accepted);
      renameSync(`${installation.keyFile}.away`, installation.keyFile);
      expect(await storageEncryption(installation, server)).toEqual({ status: true, value: true });
    } finally {
      await installation.remove();
    }
  });
});
