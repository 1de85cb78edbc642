import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Answers, type Call, runFake } from '../../fake-dependencies.ts';
import { fakeIo } from '../../fake-io.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const SQL = { Driver: 'postgresql', Server: 'db', Limit: '5' };
const ANSWERS: Answers = {
  'administrators.addApiToken': { token: 'tk_secret' },
  'resolvers.list': [{ id: '3', name: 'people', kind: 'sql', settings: SQL, secretStamp: 'f00d' }],
};

const run = (parameters: readonly string[], typed?: readonly string[]) =>
  runFake(parameters, ANSWERS, fakeIo(typed && { typed }));

const folder = temporaryFolder();
let passwordFile: string;
beforeAll(async () => {
  passwordFile = join(folder, 'password');
  await writeFile(passwordFile, 's3cret\n');
});

describe('passwords', () => {
  it('of resolvers come from a prompt that is answered twice, or from a file', async () => {
    const line = ['resolver', 'set', 'people', '--yes'];
    const call = (secret: string): Call => ['resolvers.draft', { name: 'people', settings: {}, secret }];
    const prompted = await run([...line, '--ask-secret'], ['typed', 'typed']);
    expect(prompted.calls).toContainEqual(call('typed'));
    const filed = await run([...line, '--secret-file', passwordFile]);
    expect(filed.calls).toContainEqual(call('s3cret'));
    expect(prompted.out + filed.out).not.toMatch(/typed|s3cret/);
  });

  it('of resolvers are not taken from settings, which are shown', async () => {
    const url = 'Connect=mysql://u:geheim@h/d';
    const { code, out, err, calls } = await run([...'resolver add new --json --set'.split(' '), url]);
    expect({ code, calls }).toEqual({ code: 1, calls: [] });
    expect(err).toContain('Connect holds a password');
    expect(out + err).not.toContain('geheim');
  });
});

it('a new API token is shown to people once, and they are told so', async () => {
  const { out } = await run(['api-token', 'add', 'admin', 'probe', '*']);
  expect(out).toBe('tk_secret\nThis is shown once; only its hash is kept.\n');
});
