import { chmod, copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type KnownInstallation,
  type KnownToken,
  responseOf,
} from '../../../scripts/released-installation.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { runCli } from '../../cli/cli-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';

const RELEASES = join(import.meta.dirname, '../../fixtures/releases');

const released = (await readdir(RELEASES, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

interface Answer {
  readonly result: { readonly status: boolean; readonly value?: unknown };
  readonly detail?: Readonly<Record<string, string>>;
}

describe.each(released)('an installation of %s', (version) => {
  const release = join(RELEASES, version);
  let known: KnownInstallation;
  let folder: string;
  const databases: TestDatabase[] = [];
  let environment: Readonly<Record<string, string>>;
  let server: ServerProcess;

  async function emptyDatabase(): Promise<string> {
    const database = await createTestDatabase({ schema: 'empty' });
    databases.push(database);
    return database.url;
  }

  async function ask(path: string, parameters?: Readonly<Record<string, string>>): Promise<Answer> {
    const response = await fetch(`${server.baseUrl}${path}`, {
      headers: { Authorization: `Basic ${Buffer.from(`admin:${known.password}`).toString('base64')}` },
      ...(parameters !== undefined && { method: 'POST', body: new URLSearchParams(parameters) }),
    });
    return (await response.json()) as Answer;
  }

  async function isAccepted(path: string, parameters: Readonly<Record<string, string>>): Promise<boolean> {
    const { value } = (await ask(path, parameters)).result;
    return value === true || (value as { result?: unknown }).result === true;
  }

  /** Asks for what the token answers, and answers. @returns the parameters that were accepted */
  async function answer(token: KnownToken): Promise<{ path: string; parameters: Record<string, string> }> {
    const { serial, type, pin } = token;
    const isAsked = type === 'ocra';
    const { detail = {} } = isAsked ? await ask('/ocra/request', { serial, data: '87654321' }) : {};
    const url = isAsked ? parseQrTanUrl(detail.data ?? '') : undefined;
    const pass = `${pin}${responseOf(token, url?.kind === 'req' ? url.question : '', new Date())}`;
    const accepted = isAsked
      ? { path: '/ocra/check_t', parameters: { transactionid: detail.transactionid ?? '', pass } }
      : { path: '/validate/check_s', parameters: { serial, pass } };
    expect({ serial, isAccepted: await isAccepted(accepted.path, accepted.parameters) }).toEqual({
      serial,
      isAccepted: true,
    });
    return accepted;
  }

  beforeAll(async () => {
    known = JSON.parse(await readFile(join(release, 'known.json'), 'utf8')) as KnownInstallation;
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-released-'));
    await chmod(folder, 0o711);
    await cp(join(release, 'encryption.key'), join(folder, 'data/encryption.key'));
    await chmod(join(folder, 'data/encryption.key'), 0o600);
    const url = await emptyDatabase();
    await queryOnce(url, await readFile(join(release, 'dump.sql'), 'utf8'));
    environment = { DATABASE_URL: url, DATA_DIR: join(folder, 'data') };
    server = await startServerProcess(environment);
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all(databases.map((database) => database.drop()));
    await rm(folder, { recursive: true });
  });

  it('gives the same answers', async () => {
    for (const [path, value] of Object.entries(known.answers)) {
      expect({ path, ...(await ask(path)).result }).toMatchObject({ path, status: true, value });
    }
    const { status } = await fetch(`${server.baseUrl}/monitoring/config`, {
      headers: { Authorization: `Bearer ${known.apiToken}` },
    });
    expect(status).toBe(200);
  });

  it('accepts the responses to open challenges, and none again', async () => {
    const open = known.open.map((parameters) => ({ path: '/ocra/check_t', parameters: { ...parameters } }));
    for (const { path, parameters } of open) {
      expect(await isAccepted(path, parameters)).toBe(true);
    }
    for (const { path, parameters } of [...open, ...known.accepted]) {
      expect({ parameters, isAccepted: await isAccepted(path, { ...parameters }) }).toEqual({
        parameters,
        isAccepted: false,
      });
    }
  });

  it('answers with each token, once', async () => {
    for (const token of known.tokens) {
      const isAnswered = known.open.some(({ serial }) => serial === token.serial);
      const accepted = await answer(
        isAnswered && token.counter !== undefined ? { ...token, counter: token.counter + 1 } : token,
      );
      if (!['pw', 'spass'].includes(token.type)) {
        expect(await isAccepted(accepted.path, accepted.parameters)).toBe(false);
      }
    }
  });

  it('has the counts and the whole audit', async () => {
    for (const words of [
      ['audit', 'verify'],
      ['count', '--verify'],
    ]) {
      expect({ words, ...(await runCli(words, environment)) }).toMatchObject({ words, code: 0, err: '' });
    }
  });

  it('is restored from its backup, and accepts nothing again', async () => {
    const restored = { ...environment, DATABASE_URL: await emptyDatabase() };
    await writeFile(join(folder, 'identity'), known.identity, { mode: 0o600 });
    await copyFile(join(release, 'backup.age'), join(folder, 'backup.age'));
    const words = ['restore', join(folder, 'backup.age'), '--identity-file', join(folder, 'identity')];
    expect(await runCli(words, restored)).toMatchObject({ code: 0, err: '' });
    await server.stop();
    server = await startServerProcess(restored);
    for (const { path, parameters } of known.accepted) {
      expect(await isAccepted(path, { ...parameters })).toBe(false);
    }
    // Those of TOTP take responses again after the time window.
    for (const token of known.tokens.filter(({ type }) => type !== 'totp')) {
      await answer(token);
    }
  });
});
