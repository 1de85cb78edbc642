import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
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
  'resolvers.test': { entries: 12, users: 12, withoutId: 0, withoutLogin: 0, sharingId: 0 },
  'users.list': [USER],
  'users.add': USER,
  'policies.list': [POLICY, { ...POLICY, name: 'q', scope: 'admin', active: false }],
  'policies.show': POLICY,
  'policies.unknownNames': [],
  'settings.describe': [
    {
      key: 'OcraMaxChallenges',
      value: '5',
      initial: '4',
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

async function json(...parameters: string[]): Promise<unknown> {
  return JSON.parse((await run([...parameters, '--json'])).out);
}

const folder = temporaryFolder();
let passwordFile: string;
beforeAll(async () => {
  passwordFile = join(folder, 'password');
  await writeFile(passwordFile, 's3cret\n');
});

describe('what commands ask of the services', () => {
  it.each<[string, Call]>([
    ['admin list', ['administrators.list']],
    ['admin remove bert', ['administrators.remove', 'bert']],
    ['second-factor set bert QR1 --yes', ['secondFactors.setToken', 'bert', 'QR1']],
    ['second-factor remove bert --yes', ['secondFactors.remove', 'bert']],
    ['sessions', ['sessions.list', '*']],
    ['sessions bert', ['sessions.list', 'bert']],
    ['sessions bert --end 17', ['sessions.end', { owner: 'bert', id: '17', isAll: false }]],
    ['sessions bert --end-all', ['sessions.end', { owner: 'bert', isAll: true }]],
    ['api-token list admin', ['administrators.listApiTokens', 'admin']],
    ['api-token remove admin probe', ['administrators.removeApiToken', 'admin', 'probe']],
    [
      'api-token add admin probe monitoring:*,ocra:status',
      ['administrators.addApiToken', 'admin', { name: 'probe', rights: ['monitoring:*', 'ocra:status'] }],
    ],
    [
      'api-token add admin probe monitoring:* --expires 1D',
      ['administrators.addApiToken', 'admin', { name: 'probe', rights: ['monitoring:*'], expires: '1D' }],
    ],
    [
      'realm set Bank --resolvers staff',
      ['realms.set', { name: 'Bank', resolvers: ['staff'], expected: ['customers', 'staff'] }],
    ],
    ['realm add new --resolvers a,b', ['realms.set', { name: 'new', resolvers: ['a', 'b'], expected: null }]],
    ['realm remove bank', ['realms.remove', 'bank']],
    ['realm default bank', ['realms.setDefault', 'bank']],
    ['realm no-default', ['realms.setDefault', null]],
    ['resolver add new', ['resolvers.set', { name: 'new', kind: 'managed', settings: {} }]],
    [
      'resolver add new --kind passwd --file users.txt',
      ['resolvers.set', { name: 'new', kind: 'passwd', settings: { fileName: resolve('users.txt') } }],
    ],
    [
      'resolver add new --kind sql --set driver=mysql --set Where=a=1',
      ['resolvers.set', { name: 'new', kind: 'sql', settings: { Driver: 'mysql', Where: 'a=1' } }],
    ],
    [
      'resolver set people --set limit=9 --unset server',
      ['resolvers.set', { name: 'people', kind: 'sql', settings: { Driver: 'postgresql', Limit: '9' } }],
    ],
    [
      'resolver set people --remove-secret',
      ['resolvers.set', { name: 'people', kind: 'sql', settings: SQL, secret: null }],
    ],
    [
      'resolver set unix --file /etc/other',
      ['resolvers.set', { name: 'unix', kind: 'passwd', settings: { fileName: '/etc/other' } }],
    ],
    ['resolver remove unix', ['resolvers.remove', 'unix']],
    ['resolver test unix', ['resolvers.test', 'unix']],
    ['user list --realm bank', ['users.list', { realm: 'bank' }]],
    [
      'user list --realm bank --search an* --limit 5',
      ['users.list', { realm: 'bank', search: 'an*', limit: 5 }],
    ],
    ['user list --resolver unix', ['users.list', { resolver: 'unix' }]],
    [
      'user add ada customers --given-name Ada --email a@b',
      ['users.add', { resolver: 'customers', login: 'ada', givenName: 'Ada', email: 'a@b' }],
    ],
    ['user remove ada customers', ['users.remove', { resolver: 'customers', login: 'ada' }]],
    [
      'user remove-password ada customers --yes',
      ['users.setPassword', { resolver: 'customers', login: 'ada', password: null }],
    ],
    [
      'policy set p --scope ocra --action request --user bert',
      ['policies.set', { name: 'p', scope: 'ocra', action: 'request', user: 'bert', active: true }],
    ],
    [
      'policy set p --scope ocra --action request --inactive --client 10.0.0.0/8 --realm *',
      [
        'policies.set',
        { name: 'p', scope: 'ocra', action: 'request', client: '10.0.0.0/8', realm: '*', active: false },
      ],
    ],
    ['policy remove p', ['policies.remove', 'p']],
    ['policy disable p', ['policies.set', { ...POLICY, active: false }]],
    ['policy enable p', ['policies.set', { ...POLICY, active: true }]],
    ['setting set OcraMaxChallenges 5', ['settings.set', new Map([['OcraMaxChallenges', '5']])]],
    ['setting set ocra.timeShift -5', ['settings.set', new Map([['ocra.timeShift', '-5']])]],
    ['setting remove OcraMaxChallenges', ['settings.remove', 'OcraMaxChallenges']],
  ])('%s', async (line, call) => {
    const { code, calls, err, out } = await run(line.split(' '));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    // Some are also given a function that hears of cut lists.
    expect(calls.at(-1)?.slice(0, call.length)).toEqual(call);
    expect(out).not.toBe('');
  });
});

describe('passwords', () => {
  it.each<[string, (password: string) => Call]>([
    ['admin add bert', (password) => ['administrators.add', 'bert', password]],
    [
      'admin password bert',
      (password) => ['administrators.setPassword', 'bert', password, { revokesApiTokens: false }],
    ],
    [
      'admin password bert --revoke-tokens',
      (password) => ['administrators.setPassword', 'bert', password, { revokesApiTokens: true }],
    ],
    [
      'user password ada customers',
      (password) => ['users.setPassword', { resolver: 'customers', login: 'ada', password }],
    ],
  ])('of %s come from a prompt that is answered twice, or from a file', async (line, call) => {
    const prompted = await run(line.split(' '), ['typed', 'typed']);
    expect(prompted.calls.at(-1)).toEqual(call('typed'));
    const filed = await run([...line.split(' '), '--password-file', passwordFile]);
    expect(filed.calls.at(-1)).toEqual(call('s3cret'));
    expect(prompted.out + filed.out).not.toMatch(/typed|s3cret/);
  });

  it('of resolvers come from a prompt that is answered twice, or from a file', async () => {
    const line = ['resolver', 'set', 'people'];
    const call = (secret: string): Call => [
      'resolvers.set',
      { name: 'people', kind: 'sql', settings: SQL, secret },
    ];
    const prompted = await run([...line, '--ask-secret'], ['typed', 'typed']);
    expect(prompted.calls.at(-1)).toEqual(call('typed'));
    const filed = await run([...line, '--secret-file', passwordFile]);
    expect(filed.calls.at(-1)).toEqual(call('s3cret'));
    expect(prompted.out + filed.out).not.toMatch(/typed|s3cret/);
  });

  it('of resolvers are not taken from a file with settings, which are shown', async () => {
    const urlFile = join(folder, 'url');
    await writeFile(urlFile, 'mysql://u:geheim@h/d');
    const line = ['resolver', 'add', 'new', '--kind', 'sql', '--set-file', `Connect=${urlFile}`, '--json'];
    const { code, out, err, calls } = await run(line);
    expect({ code, calls }).toEqual({ code: 2, calls: [] });
    expect(err).toContain('Connect holds a password');
    expect(out + err).not.toContain('geheim');
  });

  it('are not asked for when a user is added, unless that is wanted', async () => {
    const { calls } = await run(['user', 'add', 'ada', 'r', '--ask-password'], ['typed', 'typed']);
    expect(calls).toMatchObject([['users.add', { password: 'typed' }]]);
  });

  it('that were typed differently change nothing', async () => {
    const { code, err, calls } = await run(['admin', 'add', 'bert'], ['typed', 'tpyed']);
    expect({ code, err, calls }).toEqual({ code: 1, err: 'tankeeper: the two entries differ\n', calls: [] });
  });
});

describe('what scripts read', () => {
  it('is the same, key by key, in every version', async () => {
    expect(await json('admin', 'list')).toEqual([
      {
        name: 'admin',
        created_at: CREATED.toISOString(),
        second_factor: null,
        serial: null,
        second_factor_lost: false,
        own: false,
      },
    ]);
    expect(await json('api-token', 'list', 'admin')).toEqual([
      {
        name: 'probe',
        administrator: 'admin',
        rights: ['monitoring:*'],
        created_at: CREATED.toISOString(),
        expires_at: null,
      },
    ]);
    expect(await json('api-token', 'add', 'admin', 'probe', '*')).toEqual({ token: 'tk_secret' });
    expect(await json('realm', 'list')).toEqual([
      { name: 'bank', is_default: true, resolvers: ['customers', 'staff'] },
    ]);
    expect(await json('realm', 'show', 'BANK')).toMatchObject({ name: 'bank' });
    expect(await json('resolver', 'list')).toEqual([
      { name: 'customers', kind: 'managed', settings: {}, has_secret: false },
      { name: 'unix', kind: 'passwd', settings: { fileName: '/etc/passwd' }, has_secret: false },
      { name: 'people', kind: 'sql', settings: SQL, has_secret: true },
    ]);
    expect(await json('resolver', 'show', 'unix')).toMatchObject({ kind: 'passwd' });
    expect(await json('resolver', 'test', 'unix')).toEqual({ name: 'unix', users: 12 });
    expect(await json('user', 'list', '--realm', 'bank')).toEqual([
      {
        login: 'ada',
        resolver: 'customers',
        userid: '7',
        givenname: 'Ada',
        surname: '\u001b[31mL',
        email: 'a@b',
        phone: '1',
      },
    ]);
    expect(await json('policy', 'list')).toMatchObject([POLICY, { name: 'q' }]);
    expect(await json('policy', 'show', 'p')).toEqual(POLICY);
    expect(await json('setting', 'list')).toMatchObject([
      { key: 'OcraMaxChallenges', value: '5', is_set: true },
    ]);
  });
});

describe('what people read', () => {
  it('is a table', async () => {
    expect((await run(['realm', 'list'])).out).toBe(
      'NAME  DEFAULT  RESOLVERS\nbank  yes      customers, staff\n',
    );
  });

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

describe('what commands refuse', () => {
  it.each<[string, number, string]>([
    ['resolver add unix', 1, 'there is a resolver unix already; `tankeeper resolver set` changes it'],
    [
      'resolver set none --set Limit=1',
      1,
      'there is no resolver none; `tankeeper resolver list` shows those that there are',
    ],
    [
      'resolver set people --set Password=x',
      2,
      'Password is secret: give it with --secret-file FILE (- for stdin) or --ask-secret',
    ],
    [
      'resolver add new --kind sql --set Connect=mysql://u:geheim@h/d',
      2,
      'Connect holds a password: leave it out, and give it with --secret-file FILE (- for stdin) or --ask-secret',
    ],
    [
      'resolver set people --set LDAPURI=ldap://u:ge/he@im@h',
      2,
      'LDAPURI holds a password: leave it out, and give it with --secret-file FILE (- for stdin) or --ask-secret',
    ],
    ['resolver set people --file /x', 2, 'a passwd resolver needs --file FILE, no other has one'],
    [
      'resolver set customers --set Limit=1',
      2,
      'a resolver of the kind managed has no setting Limit; it has none',
    ],
    [
      'resolver add new --kind ldap --set-file CACERTIFICATE=/nosuch',
      1,
      'cannot read /nosuch: there is no such file',
    ],
    ['resolver add new --kind passwd', 2, 'a passwd resolver needs --file FILE, no other has one'],
    ['resolver add new --file x', 2, 'a passwd resolver needs --file FILE, no other has one'],
    ['user list', 2, 'give either --realm or --resolver'],
    ['user list --realm a --resolver b', 2, 'give either --realm or --resolver'],
    [
      'admin add bert',
      1,
      'The password cannot be asked for without a terminal: give --password-file FILE (- for stdin)',
    ],
  ])('%s', async (line, code, message) => {
    const ran = await run(line.split(' '));
    expect({ code: ran.code, err: ran.err }).toEqual({ code, err: `tankeeper: ${message}\n` });
    expect(ran.calls.map(([name]) => name).filter((name) => name.includes('.set'))).toEqual([]);
  });

  it('a kind of resolvers that there is not', async () => {
    expect((await run('resolver add new --kind http'.split(' '))).code).toBe(2);
  });
});
