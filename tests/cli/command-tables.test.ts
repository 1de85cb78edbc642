import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import stringWidth from 'string-width';
import { emptyDeviceState, formatDeviceState } from '../../src/cli/device/device-file.ts';
import { runProgram } from '../../src/cli/program.ts';
import { describeToken } from '../../src/tokens/token.ts';
import { storedToken, tokenValue } from '../support/values/token-values.ts';
import { type Answers, fakeCli } from './fake-dependencies.ts';
import { fakeIo } from './fake-io.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const COMMANDS = join(import.meta.dirname, '../../src/cli');
const FOLDER = temporaryFolder();
const DEVICE = join(FOLDER, 'device.json');
const DESCRIBED = describeToken(storedToken(tokenValue('T1')));
const UUID = '6f9619ff-8b86-d011-b42d-00c04fc964ff';
const REQUEST = '0123456789abcdef0123456789abcdef';
const MOMENT = new Date('2026-11-20T12:00:00.123Z');
const AT = '2026-11-20T12:00:00.123Z';
const LONG_URL = `https://portal.example.org/${'hooks/'.repeat(20)}`;

const KEY = {
  keyId: '0123456789abcdef',
  addedAt: MOMENT,
  isCurrent: true,
  currentSince: MOMENT,
  secrets: 1_000_000,
};
const HOLDER = { place: 'tan1.example.org 4711', keyIds: [KEY.keyId], sealingKey: KEY.keyId };
const VERDICT = {
  policy: 'helpdesk-north',
  applies: false,
  obstacles: [{ kind: 'time', text: 'not at this time of the day' }],
};

/** Each table of the commands, with long texts: its words, the answers, and what 80 columns must show. */
const TABLES: readonly (readonly [string, Answers, readonly string[]])[] = [
  [
    'admin list',
    {
      'administrators.list': [
        { name: 'anna', createdAt: MOMENT, secondFactor: { kind: 'token', serial: UUID } },
      ],
    },
    ['anna', AT, UUID],
  ],
  [
    'admin api-token list anna',
    {
      'administrators.listApiTokens': [
        {
          name: 'monitoring-of-the-portal',
          administrator: 'anna',
          rights: ['monitoring:tokens', 'admin:show', 'ocra:request'],
          createdAt: MOMENT,
          expiresAt: MOMENT,
        },
      ],
    },
    ['monitoring-of-the-portal', 'monitoring:tokens,', AT],
  ],
  [
    'admin sessions',
    {
      'sessions.list': [
        {
          id: '123456789012345678',
          owner: 'oidc:anna',
          kind: 'console',
          client: '2001:db8::1',
          createdAt: MOMENT,
          expiresAt: MOMENT,
        },
      ],
    },
    ['123456789012345678', 'oidc:anna', AT],
  ],
  [
    'audit search',
    {
      'audit.search': [
        {
          at: '2026-11-20T12:00:00.123000Z',
          actor: 'operator:root',
          action: 'ocra/check_t',
          subject: 'LSGO00000001',
          realm: 'a-realm-with-a-long-name',
          outcome: 'wrong',
          client: '2001:db8::1',
          requestId: REQUEST,
          transaction: '0123456789abcdef0123',
        },
      ],
    },
    [AT, 'ocra/check_t', 'LSGO00000001', 'wrong'],
  ],
  [
    'count',
    {
      'monitoring.tokens': {
        realms: [{ realm: 'a-realm-with-a-long-name', counts: [{ status: 'total', count: 10_000_000 }] }],
        summary: [],
      },
    },
    ['a-realm-with-a-long-name', 'TOTAL', '10000000'],
  ],
  [
    'count --verify',
    {
      'counts.verify': {
        total: 1,
        drifts: [
          {
            counts: 'active tokens of a user',
            resolver: 'corporate-directory',
            userId: UUID,
            realms: ['north & south'],
            active: true,
            assigned: null,
            kept: 1_000_001,
            counted: 1_000_002,
          },
        ],
      },
    },
    ['1000001', '1000002'],
  ],
  ['device --state FILE list', {}, [UUID, 'OCRA-1:HOTP-SHA256-8:C-QA64', 'yes']],
  ['housekeeping run', { 'housekeeping.run': [{ chore: 'challenges', rows: 12 }] }, ['challenges', '12']],
  [
    'housekeeping run --dry-run',
    { 'housekeeping.due': [{ chore: 'challenges', rows: 12 }] },
    ['challenges', '12'],
  ],
  [
    'keys list',
    {
      'keys.list': {
        keys: [
          { ...KEY, retiredAt: MOMENT },
          { ...KEY, retiredAt: undefined },
        ],
        servers: [HOLDER],
      },
    },
    [KEY.keyId, 'current', AT, '1000000'],
  ],
  [
    'policy list',
    {
      'policies.list': [
        {
          name: 'answers-of-the-north',
          scope: 'authentication',
          action: 'qrtanurl=https://tan.example.org/ocra/check_t, otppin=2, maxtoken=3',
          realm: 'north, south',
          user: '*',
          client: '192.0.2.0/24, 2001:db8::/32',
          time: '',
          active: true,
        },
      ],
    },
    ['answers-of-the-north', 'authentication', 'otppin=2,', 'yes'],
  ],
  [
    'policy explain anna',
    {
      'explanations.explainRights': {
        administrator: 'anna',
        isKnown: true,
        rights: [
          {
            right: { scope: 'admin', action: 'administrators' },
            decision: { allowed: false },
            allowed: false,
            policies: [VERDICT, VERDICT],
          },
        ],
      },
    },
    ['admin:administrators', 'no', 'helpdesk-north:', 'day;'],
  ],
  [
    'realm list',
    { 'realms.list': [{ name: 'north', isDefault: true, resolvers: [UUID, UUID, UUID] }] },
    ['north', UUID],
  ],
  [
    'resolver list',
    {
      'resolvers.list': [
        {
          name: 'corp',
          kind: 'ldap',
          secretStamp: 'x',
          settings: { LDAPURI: 'ldaps://a.example.org, ldaps://b.example.org', LDAPBASE: 'x'.repeat(250) },
        },
      ],
    },
    ['corp', 'ldap', 'ldaps://b.example.org,', 'yes'],
  ],
  ['config', {}, ['DATABASE_POOL_SIZE']],
  [
    'setting list',
    {
      'settings.list': new Map([['OcraMaxChallenges', '5']]),
      'settings.inForce': {
        values: new Map([
          ['OcraMaxChallenges', '5'],
          ['Further', LONG_URL],
        ]),
      },
    },
    ['OcraMaxChallenges', 'default'],
  ],
  [
    'token list',
    {
      'tokens.list': [{ ...DESCRIBED, serial: UUID, realms: ['north', 'south', 'a-realm-with-a-long-name'] }],
    },
    [UUID, 'active', 'a-realm-with-a-long-name'],
  ],
  [
    'transaction show 0123456789abcdef0123',
    {
      'transactions.history': {
        transactionId: '0123456789abcdef0123',
        serial: UUID,
        realms: ['north'],
        isStored: true,
        data: '100 EUR to Bert',
        isDataWithheld: false,
        code: 'lseqr://req?me=100+EUR+to+Bert&u=x&ch=1&tr=2&si=3',
        state: 'open',
        more: 0,
        events: [
          {
            at: '2026-11-20T12:00:00.123000Z',
            event: 'wrong response',
            reason: 'the counter was beyond the window of the token',
            action: 'ocra/check_t',
            actor: 'portal',
            client: '2001:db8::1',
            requestId: REQUEST,
            derived: false,
          },
        ],
      },
    },
    ['0123456789abcdef0123', UUID, AT, 'beyond'],
  ],
  [
    'user list --realm north',
    {
      'users.list': [
        {
          login: 'anna',
          resolver: 'corporate-directory',
          userId: UUID,
          givenName: 'Anna Maria Magdalena',
          surname: 'von und zu Musterfrau',
          email: 'anna.musterfrau@example.org',
          phone: '+49 30 1234567',
        },
      ],
    },
    ['anna', 'Magdalena', 'Musterfrau'],
  ],
  [
    'webhook list',
    {
      'webhooks.list': [
        {
          name: 'portal',
          url: LONG_URL,
          isEnabled: true,
          waiting: 1,
          givenUp: 2,
          lastFailure: 'no answer within 10 seconds',
        },
      ],
    },
    ['portal', 'FAILURE'],
  ],
];

describe('the lists of commands', () => {
  beforeAll(() => {
    const token = {
      serial: UUID,
      suite: 'OCRA-1:HOTP-SHA256-8:C-QA64',
      sharedSecret: '00',
      key: '00',
      counter: '7',
    };
    writeFileSync(DEVICE, formatDeviceState({ ...emptyDeviceState(), tokens: [token] }));
  });

  const printed = async (words: string, answers: Answers, columns?: number) => {
    const io = fakeIo(columns === undefined ? {} : { terminal: { columns, color: false } });
    await runProgram(words.replace('FILE', DEVICE).split(' '), fakeCli(answers, { io }).dependencies);
    return { out: io.out(), err: io.err() };
  };

  it.each(TABLES)(
    '%s fits a terminal of any width, and no time and no id is cut',
    async (words, answers, shown) => {
      const whole = new Set((await printed(words, answers)).out.split(/\s+/));
      for (const columns of [60, 80, 120, 200]) {
        const { out } = await printed(words, answers, columns);
        expect(Math.max(...out.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
        const found = out.split(/\s+/);
        expect(found.filter((word) => !whole.has(word) && !isPartOfALongWord(word, whole))).toEqual([]);
        if (columns === 80) {
          expect(found).toEqual(expect.arrayContaining([...shown]));
        }
      }
    },
  );

  it('are all of them', () => {
    const sources = readdirSync(COMMANDS, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const calls = sources.flatMap(
      (name) => readFileSync(join(COMMANDS, name), 'utf8').match(/\boutput\.list\(/g) ?? [],
    );
    expect(calls).toHaveLength(TABLES.length);
  });
});

/** A word of more than 40 characters may be broken, and one that is wider than the terminal. */
function isPartOfALongWord(part: string, words: ReadonlySet<string>): boolean {
  return [...words].some((word) => word.length > 40 && word.includes(part));
}
