import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { runProgram } from '../../../../src/cli/program.ts';
import { type Answers, type Call, fakeCli } from '../../fake-dependencies.ts';
import { fakeIo } from '../../fake-io.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const CREATED = new Date('2026-11-01T00:00:00Z');
const REALMS = [{ id: '1', name: 'bank', isDefault: true, resolvers: ['customers', 'staff'] }];
const SQL = { Driver: 'postgresql', Server: 'db', Limit: '5' };
const RESOLVERS = [
  { id: '1', name: 'customers', kind: 'managed', settings: {} },
  { id: '2', name: 'unix', kind: 'passwd', settings: { fileName: '/etc/passwd' } },
  { id: '3', name: 'people', kind: 'sql', settings: SQL, secretStamp: 'f00d' },
];
const POLICY = {
  name: 'p',
  scope: 'ocra',
  action: 'request',
  realm: '*',
  user: 'bert',
  client: '10.0.0.0/8',
  time: '',
  active: true,
};
const USER = {
  userId: '7',
  login: 'ada',
  givenName: 'Ada',
  surname: '\u001b[31mL',
  email: 'a@b',
  phone: '1',
  resolver: 'customers',
};
const ANSWERS: Answers = {
  'administrators.list': [{ name: 'admin', createdAt: CREATED, secondFactor: null }],
  'administrators.addApiToken': { token: 'tk_secret' },
  'sessions.list': [],
  'sessions.end': 1,
  'administrators.setPassword': { apiTokens: 2 },
  'administrators.listApiTokens': [
    { name: 'probe', administrator: 'admin', rights: ['monitoring:*'], createdAt: CREATED, expiresAt: null },
  ],
  'realms.list': REALMS,
  'realms.show': REALMS[0],
  'resolvers.list': RESOLVERS,
  'resolvers.show': RESOLVERS[1],
  'users.list': [USER],
  'users.add': USER,
  'policies.list': [POLICY, { ...POLICY, name: 'q', scope: 'admin', active: false }],
  'policies.show': POLICY,
  'policies.unknownNames': [],
  'settings.describe': [
    {
      key: 'OcraMaxChallenges',
      value: '5',
      default: '4',
      isSet: true,
      isKnown: true,
      isWithheld: false,
    },
  ],
  'settings.check': undefined,
  'settings.unreadReason': undefined,
};

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly calls: readonly Call[];
}

async function run(parameters: readonly string[], typed?: readonly string[]): Promise<Ran> {
  const io = fakeIo(typed === undefined ? {} : { typed });
  const { dependencies, calls } = fakeCli(ANSWERS, { io });
  const code = await runProgram(parameters, dependencies);
  return { code, out: io.out(), err: io.err(), calls };
}

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

describe('what people read', () => {
  it('holds nothing that a terminal would obey', async () => {
    const { out } = await run(['user', 'list', '--realm', 'bank']);
    expect(out).not.toContain('\u001b');
    expect(out).toContain('\\u001b[31mL');
  });

  it('shows a new API token once, and says so', async () => {
    const { out } = await run(['api-token', 'add', 'admin', 'probe', '*']);
    expect(out).toBe('tk_secret\nThis is shown once; only its hash is kept.\n');
  });
});
