import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { SecretVault } from '../../../src/keys/vault.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { replaced, withEditedDump } from '../../linotp/dump-edit.ts';
import {
  expectedOf,
  FIXTURES,
  fixtureFile,
  type FixtureName,
  importFixture,
} from '../../linotp/linotp-fixture.ts';
import { TestApplication } from '../../support/application/test-application.ts';
import { type Ran, runLinotpCommand } from './linotp-command.ts';

const FIXTURE = '2.12.6-postgresql';
/** Half a minute after the last challenge of the fixture, in which a challenge lives for two hours. */
const AFTER_THE_MOVE = new Date('2026-11-20T11:42:40Z');
const ACCEPTED = { closed_by: 'accepted', closed_at: AFTER_THE_MOVE };
const NEW_SEED = Buffer.from('0123456789abcdef0123456789abcdef', 'latin1');

/** An installation with an imported fixture. */
interface Imported {
  readonly app: TestApplication;
  readonly sql: Knex;
  readonly close: () => Promise<void>;
}

async function imported(fixture: FixtureName, place?: string): Promise<Imported> {
  const app = await TestApplication.open();
  app.clock.set(AFTER_THE_MOVE);
  const database = openDatabase({ connection: app.databaseUrl, applicationName: 'test' });
  await importFixture(app.services, fixture, place === undefined ? {} : { place });
  return {
    app,
    sql: database.knex,
    close: async () => {
      await database.close();
      await app.close();
    },
  };
}

/** Tables of the fixtures of which nothing is read. */
const COMMON = ['REPORTING', 'ext_users', 'logging_config'];
const OF_2 = ['openid_handles', 'openid_redirects', 'openid_sites', 'openid_trustedroot', 'openid_user'];
const OF_3 = ['admin_users', 'audit'];
const UNREAD: Readonly<Record<FixtureName, readonly string[]>> = {
  '2.12.6-postgresql': [...COMMON, ...OF_2],
  '2.12.6-mariadb-latin1': [...COMMON, ...OF_2],
  '3.4.4-postgresql': [...COMMON, ...OF_3],
  '3.4.4-mariadb': [...COMMON, ...OF_3],
  'migrated-2.12.6-to-3.4.4-postgresql': [...COMMON, ...OF_2, ...OF_3],
};
const unreadLine = (fixture: FixtureName): string =>
  `tables of LinOTP that are not read: ${[...UNREAD[fixture]].sort().join(', ')}`;

describe.each(FIXTURES)('after an import of %s, tankeeper verify linotp', (fixture) => {
  it('finds no difference, and names the tables that it does not read', async () => {
    const { app, close } = await imported(fixture);
    const { code, out } = await runLinotpCommand(app, 'verify', { fixture });
    await close();
    const { tokens, challenges } = expectedOf(fixture);
    expect([code, out]).toEqual([
      0,
      `tokens: ${tokens.length} equal, 0 different, 0 only here\n` +
        `challenges: ${challenges.length} equal, 0 different\n` +
        `${unreadLine(fixture)}\n`,
    ]);
  });
});

/** A change here: what is done, and what the verification says about it. */
type Change = readonly [what: string, change: (to: Imported) => Promise<unknown>, line: string];

const set =
  (serial: string, values: Record<string, unknown>) =>
  ({ sql }: Imported): Promise<unknown> =>
    sql('tokens').where({ serial }).update(values);
const setChallenge =
  (transaction: string, values: Record<string, unknown>) =>
  ({ sql }: Pick<Imported, 'sql'>): Promise<unknown> =>
    sql('challenges').where({ transaction_id: transaction }).update(values);
const asAdmin =
  (path: string, parameters: Record<string, string>) =>
  ({ app }: Imported): Promise<unknown> =>
    app.asAdmin(path, parameters);

function sealedSeed(serial: string): Buffer {
  const vault = new SecretVault({ keys: [Buffer.alloc(32, 7)], random: systemRandom });
  return vault.seal(NEW_SEED, 'seed', serial);
}

const CHANGES: readonly Change[] = [
  ['fail counter', set('QR15', { fail_count: 2 }), 'token QR15: failCount: 1 in LinOTP, 2 here'],
  ['counter', set('QR18', { counter: 9 }), 'token QR18: counter: 4 in LinOTP, 9 here'],
  ['seed', set('QR07', { seed: sealedSeed('QR07') }), 'token QR07: seed: differs'],
  [
    'seed of another token',
    set('QR08', { seed: sealedSeed('QR07') }),
    'token QR08: seed: cannot be opened here',
  ],
  ['seed that is gone', set('QR17', { seed: null }), 'token QR17: seed: differs'],
  ['PIN', asAdmin('/admin/set', { serial: 'HM01', pin: 'otherwise' }), 'token HM01: pin: differs'],
  ['PIN that is gone', set('QR09', { pin: null }), 'token QR09: pin: differs'],
  ['user PIN', set('PL03', { ocra_pin: null }), 'token PL03: userPin: differs'],
  ['shared secret', set('QR03', { shared_secret: null }), 'token QR03: sharedSecret: differs'],
  [
    'realms',
    asAdmin('/admin/tokenrealm', { serial: 'QR13', realms: 'zweite,misch' }),
    'token QR13: realms: hauptrealm, zweite in LinOTP, misch, zweite here',
  ],
  [
    'owner',
    asAdmin('/admin/unassign', { serial: 'QR12' }),
    'token QR12: owner: 2004 of the resolver pw-two in LinOTP, nothing here',
  ],
  [
    'user of the same resolver',
    set('QR16', { owner_user_id: '2001' }),
    'token QR16: owner: 2002 of the resolver pw-two in LinOTP, 2001 of the resolver pw-two here',
  ],
  [
    'suite',
    set('PL01', { ocra_suite: 'OCRA-1:HOTP-SHA1-8:QN08' }),
    'token PL01: ocraSuite: OCRA-1:HOTP-SHA1-6:QN08 in LinOTP, OCRA-1:HOTP-SHA1-8:QN08 here',
  ],
  [
    'description',
    set('QR10', { description: 'anders\u001b[31m' }),
    String.raw`token QR10: description: Tökën ÄÖÜ € in LinOTP, anders\u001b[31m here`,
  ],
  [
    'description that is new',
    set('QR11', { description: 'neu' }),
    'token QR11: description: nothing in LinOTP, neu here',
  ],
  ['state', asAdmin('/admin/disable', { serial: 'PL09' }), 'token PL09: active: true in LinOTP, false here'],
  [
    'information',
    ({ sql }) =>
      sql('imported_tokens')
        .whereIn('token_id', sql('tokens').where({ serial: 'SM01' }).select('id'))
        .update({ info: { phone: '+49 1' } }),
    'token SM01: info: differs',
  ],
  ['token that is gone', asAdmin('/admin/remove', { serial: 'HM04' }), 'token HM04: it is missing here'],
  [
    'token that is new',
    ({ app }) => app.enrolPlain('NEW1', 'OCRA-1:HOTP-SHA256-8:C-QA64'),
    'token NEW1: it is missing in LinOTP',
  ],
  [
    'wrong response to a challenge',
    setChallenge('754795837686', { wrong_count: 1, received_tan: true }),
    'challenge 754795837686: wrongCount: 0 in LinOTP, 1 here; receivedTan: false in LinOTP, true here',
  ],
  [
    'right response to a challenge',
    setChallenge('806991769783', { ...ACCEPTED, received_tan: true, valid_tan: true }),
    'challenge 806991769783: state: open in LinOTP, accepted here; receivedTan: false in LinOTP, true here',
  ],
  [
    'question',
    setChallenge('368757572660', { question: '4711' }),
    'challenge 368757572660: question: differs',
  ],
  [
    'display data',
    setChallenge('059678408530', { data: 'Konto 1' }),
    'challenge 059678408530: data: differs',
  ],
  [
    'token of a challenge',
    ({ sql }) =>
      setChallenge('916055678543', { token_id: sql('tokens').where({ serial: 'PL21' }).select('id') })({
        sql,
      }),
    'challenge 916055678543: serial: PL02 in LinOTP, PL21 here',
  ],
  [
    'challenge that is gone',
    ({ sql }) => sql('challenges').where({ transaction_id: '176755146038' }).delete(),
    'challenge 176755146038: it is missing here',
  ],
];

/** What an operator did here, or a user with a token. */
const OWN = ' (changed here)';
/** Changed past the token, as the import itself would. */
const NOT_OWN = ['information'];

describe('tankeeper verify linotp', () => {
  let to: Imported;
  let ran: Ran;

  beforeAll(async () => {
    to = await imported(FIXTURE);
    for (const [, change] of CHANGES) {
      await change(to);
    }
    // LinOTP marks this one as answered wrongly, also if the right response came before.
    await setChallenge('647092797107', { ...ACCEPTED, valid_tan: true })(to);
    ran = await runLinotpCommand(to.app, 'verify', { fixture: FIXTURE });
  });

  afterAll(() => to.close());

  it.each(CHANGES.map(([what, , line]) => [what, line] as const))(
    'names the difference, and whether this side has made it: %s',
    (what, line) => {
      const isOwn = line.startsWith('token') && !NOT_OWN.includes(what);
      expect(ran.out.split('\n')).toContain(isOwn ? `${line}${OWN}` : line);
    },
  );

  it('takes no change of LinOTP for one of this side', async () => {
    await withEditedDump(
      FIXTURE,
      (text) => replaced(text, "'QR14'", "'QR14NEW'"),
      async (database) => {
        const { out } = await runLinotpCommand(to.app, 'verify', { fixture: FIXTURE, database });
        expect(out).toContain('token QR14NEW: it is missing here\n');
        expect(out).toContain('token QR14: it is missing in LinOTP\n');
      },
    );
  });

  it('names nothing else, counts, and exits with 1', () => {
    const different = CHANGES.filter(([, , line]) => line.startsWith('token')).length;
    const challenges = CHANGES.length - different;
    expect(ran.out.trimEnd().split('\n').slice(CHANGES.length)).toEqual([
      `tokens: ${54 - (different - 1)} equal, ${different - 1} different, 1 only here`,
      // The one of the removed token is not among them.
      `challenges: ${75 - challenges} equal, ${challenges} different`,
      unreadLine(FIXTURE),
    ]);
    expect([ran.code, ran.err]).toEqual([1, expect.stringMatching(/tankeeper: 25 differences\n$/)]);
  });

  it('prints the same as one JSON document with --json', async () => {
    const { code, out } = await runLinotpCommand(to.app, 'verify', { fixture: FIXTURE }, '--json');
    const { differences, ...sums } = JSON.parse(out) as {
      differences: { kind: string; name: string; differences: string[]; isOwn: boolean }[];
    };
    expect(code).toBe(1);
    const lines = differences.map(
      (one) => `${one.kind} ${one.name}: ${one.differences.join('; ')}${one.isOwn ? OWN : ''}`,
    );
    // A terminal gets an escape, a script the character.
    expect(lines.map((line) => line.replace('\u001b', String.raw`\u001b`))).toEqual(
      ran.out.split('\n').slice(0, CHANGES.length),
    );
    expect(sums).toEqual({
      tokens: { equal: 36, different: 18, onlyHere: 1 },
      challenges: { equal: 69, different: 6 },
      unread: [...UNREAD[FIXTURE]].sort(),
    });
    expect(out).not.toContain('\u001b');
  });

  it('prints no secret', async () => {
    const { tokens } = expectedOf(FIXTURE);
    const secrets = tokens.flatMap(({ seed_hex, shared_secret, user_pin, nonce }) =>
      [seed_hex, shared_secret, user_pin, nonce].filter((secret) => (secret ?? '').length > 3),
    );
    expect(secrets.length).toBeGreaterThan(50);
    const { out, err } = await runLinotpCommand(to.app, 'verify', { fixture: FIXTURE }, '--json');
    const printed = [ran.out, ran.err, out, err].join('\n').toLowerCase();
    const shown = [...secrets, NEW_SEED.toString('hex'), NEW_SEED.toString('latin1'), 'otherwise'].filter(
      (secret) => printed.includes((secret ?? '').toLowerCase()),
    );
    expect(shown).toEqual([]);
  });

  it('does not miss an expired challenge, which housekeeping removes', async () => {
    to.app.clock.set(new Date('2026-11-20T13:43:00Z'));
    const { out } = await runLinotpCommand(to.app, 'verify', { fixture: FIXTURE });
    to.app.clock.set(AFTER_THE_MOVE);
    expect(out).toContain('challenge 368757572660: question: differs');
    expect(out).not.toContain('176755146038');
    expect(out).toContain('challenges: 69 equal, 5 different\n');
  });

  it('refuses another key file', async () => {
    const { code, out, err } = await runLinotpCommand(to.app, 'verify', {
      fixture: '3.4.4-postgresql',
      database: fixtureFile(FIXTURE, 'dump.sql'),
    });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^tankeeper: The key file does not open this database/);
  });
});

describe('the owner of a token from a table that LinOTP has filled itself', () => {
  const OWNED = "'useridresolver.SQLIdResolver.IdResolver.LinOTP_local_admins', 'helpdesk'";
  let to: Imported;

  /** Runs `work` with a dump in which HM01 belongs to a user of the table imported_user. */
  function withOwned<T>(work: (place: string) => Promise<T>): Promise<T> {
    return withEditedDump(
      '3.4.4-postgresql',
      (text) => {
        const start = text.indexOf("'HM01', 'HMAC'");
        const row = text.slice(start, text.indexOf(');\n', start));
        return replaced(text, row, replaced(row, /'useridresolver\.PasswdIdResolver[^']*', '1001'/, OWNED));
      },
      work,
    );
  }

  afterEach(() => to.close());

  it('is compared by the login, as its id is another one here', async () => {
    await withOwned(async (database) => {
      to = await imported('3.4.4-postgresql', database);
      const options = { fixture: '3.4.4-postgresql', database } as const;
      const { code, out } = await runLinotpCommand(to.app, 'verify', options);
      expect([out.split('\n')[0], code]).toEqual(['tokens: 65 equal, 0 different, 0 only here', 0]);
      await set('HM01', { owner_login: 'admin' })(to);
      expect((await runLinotpCommand(to.app, 'verify', options)).out).toContain(
        'token HM01: owner: helpdesk of the resolver LinOTP_local_admins in LinOTP, admin of the resolver LinOTP_local_admins here (changed here)\n',
      );
    });
  });
});
