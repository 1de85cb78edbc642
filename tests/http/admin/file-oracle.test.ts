import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { outcomeOf } from '../../support/application/browser.ts';
import { freePort } from '../../support/servers/wait-for-port.ts';
import { SETTINGS } from '../../support/servers/ldap-resolver.ts';
import { reachOf, sqlSettings } from '../../support/servers/sql-resolver.ts';
import { makeNamedPipe } from '../../support/servers/named-pipe.ts';
import { OPERATOR, TestApplication } from '../../support/application/test-application.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:QN08';
const UNAVAILABLE = 'The resolver is unavailable';
const ANNA = 'anna:x:1:1:::\n';
/** Of the machine, and none of the service's business. */
const SECRET = 'root:$6$salt$hash:19000:0:99999:7:::\n';

let root: string;
let users: string;
let application: TestApplication;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tankeeper-oracle-'));
  users = join(root, 'open', 'users');
  await mkdir(join(root, 'open'));
  await writeFile(users, ANNA);
  await writeFile(join(root, 'shadow'), SECRET);
});
afterEach(async () => {
  await application.close();
  await rm(root, { recursive: true });
});

const open = async (resolverFileDirs: readonly string[], dialect: 'documented' | 'linotp' = 'documented') => {
  application = await TestApplication.open({ dialect, resolverFileDirs });
};

/** The requests by which somebody with `system:write` has a file read. */
async function name(fileName: string, context = application): Promise<string | undefined> {
  const set = { name: 'file', type: 'passwdresolver', fileName };
  return (await context.ask('/system/setResolver', set)).error?.message;
}

async function useIt(): Promise<void> {
  await application.services.realms.set(OPERATOR, { name: 'bank', resolvers: ['file'] });
}

/** The answer to somebody without a credential about a user of the file. */
async function validate(user = 'anna', context = application): Promise<unknown> {
  return outcomeOf(await context.send('/validate/check', { user, realm: 'bank', pass: '12345678' }));
}

describe('a file of the machine', () => {
  it('is not named over HTTP while no folder is open to that', async () => {
    await open([]);
    for (const fileName of [users, '/etc/shadow', '/proc/self/environ', '/nonexistent']) {
      expect(await name(fileName)).toMatch(
        /^The setting fileName is refused: no file can be named over HTTP, as RESOLVER_FILE_DIRS names no folder\. The command `tankeeper resolver`/,
      );
    }
    expect(await application.services.resolvers.list()).toEqual([]);
  });

  it('is read at the path that the operator configured, and no request names another path', async () => {
    await open([]);
    await application.setResolver('file', 'passwd', { fileName: users });
    await useIt();
    expect(await name(join(root, 'shadow'))).toContain('RESOLVER_FILE_DIRS');
    expect(await name(users)).toContain('RESOLVER_FILE_DIRS');
    expect(await application.services.resolvers.test('file')).toMatchObject({ users: 1 });
    expect(await application.restarted().services.resolvers.test('file')).toMatchObject({ users: 1 });
  });

  it('is not read where it was named over HTTP and its folder is open no more, until the operator names it', async () => {
    await open([join(root, 'open')]);
    await name(users);
    await useIt();
    const restarted = application.restarted({ resolverFileDirs: [join(root, 'else')] });
    expect(await validate('anna', restarted)).toBe(UNAVAILABLE);
    await restarted.setResolver('file', 'passwd', { fileName: users });
    expect(await validate('anna', restarted)).toBe(false);
  });
});

describe.each(['documented', 'linotp'] as const)('a resolver that fails, in the dialect %s', (dialect) => {
  beforeEach(() => open([join(root, 'open')], dialect));

  it('is unavailable without details to every client; the log has the reason once', async () => {
    await name(users);
    await useIt();
    const spoilt: Readonly<Record<string, () => Promise<void>>> = {
      'it does not exist': () => Promise.resolve(),
      'it has no account': () => writeFile(users, SECRET),
      'it is not a regular file': () => mkdir(users),
      'it has more than 67108864 bytes': async () => {
        await writeFile(users, '');
        await truncate(users, 67_108_865);
      },
    };
    for (const [reason, spoil] of Object.entries(spoilt)) {
      await rm(users, { recursive: true });
      await spoil();
      expect([reason, await validate(), await validate('root')]).toEqual([reason, UNAVAILABLE, UNAVAILABLE]);
      const reported = application.logged.filter((line) => line.includes(reason));
      expect(reported).toEqual([expect.stringContaining(`"path":"/validate/check"`)]);
      expect(reported[0]).toContain(`"faultDetail":"passwd file ${users}"`);
      await rm(users, { recursive: true, force: true });
      await writeFile(users, ANNA);
    }
    await rm(users);
    makeNamedPipe(users);
    expect(await validate()).toBe(UNAVAILABLE);
  });

  it('is in the log again a minute later', async () => {
    await name(users);
    await useIt();
    await rm(users);
    const reported = (): number =>
      application.logged.filter((line) => line.includes('the client was not told why')).length;
    await validate();
    application.clock.advance(59);
    await validate();
    expect(reported()).toBe(1);
    application.clock.advance(1);
    await validate();
    expect(reported()).toBe(2);
  });

  it('is unavailable and no more at every endpoint that takes responses, whatever its kind', async () => {
    await name(users);
    await useIt();
    await application.enrolPlain('ORACLE', SUITE, { user: 'anna', realm: 'bank' });
    await application.setPolicy('pin', 'authentication', 'otppin=1', { realm: 'bank' });
    const { transactionid, question } = await application.challenge('ORACLE');
    const pass = `x${application.respond(SUITE, question)}`;
    const everywhere = async (): Promise<readonly unknown[]> => [
      outcomeOf(await application.send('/ocra/check_t', { transactionid, pass })),
      outcomeOf(await application.send('/validate/check_t', { transactionid, pass })),
      outcomeOf(await application.send('/validate/check_s', { serial: 'ORACLE', pass })),
    ];
    await rm(users);
    expect(new Set(await everywhere())).toEqual(new Set([UNAVAILABLE]));
    await writeFile(users, ANNA);

    const port = String(await freePort());
    const { reach } = reachOf(`postgres://u@127.0.0.1:${port}/d`);
    await application.setResolver('sql', 'sql', sqlSettings(reach), 'x');
    const ldap = { ...SETTINGS, LDAPURI: `ldap://127.0.0.1:${port}` };
    await application.setResolver('ldap', 'ldap', ldap, 'x');
    for (const resolver of ['sql', 'ldap']) {
      await application.services.realms.set(OPERATOR, { name: 'bank', resolvers: [resolver] });
      expect([resolver, await validate()]).toEqual([resolver, UNAVAILABLE]);
    }
    const log = application.logged.join('\n');
    expect(log).toContain("The resolver 'sql' is unavailable: no server listens there");
    expect(log).toContain("The resolver 'ldap' is unavailable: no connection to the server");
  });

  it('is named with its reason to administrators, who learn of no other file by it', async () => {
    await name(users);
    await useIt();
    await writeFile(users, SECRET);
    const init = { type: 'ocra', genkey: '1', user: 'anna', realm: 'bank' };
    expect(outcomeOf(await application.asAdmin('/admin/init', init))).toBe(
      "The resolver 'file' is unavailable: its file cannot be used, it has no account",
    );
  });
});

it.each([
  ['is not there', 'set_byte(seed, 3, get_byte(seed, 3) # 1)'],
  ['opens nothing', 'set_byte(seed, 20, get_byte(seed, 20) # 1)'],
  ['seals no seed', "'\\x00'::bytea"],
])('a key that fails is unavailable without details to every client: it %s', async (_, seed) => {
  await open([]);
  await application.enrolPlain('ORACLE', SUITE);
  const { transactionid, question } = await application.challenge('ORACLE');
  const pass = application.respond(SUITE, question);
  await application.rows(`UPDATE tokens SET seed = ${seed}`);
  for (const [path, whose] of [
    ['/ocra/check_t', { transactionid }],
    ['/validate/check_t', { transactionid }],
    ['/validate/check_s', { serial: 'ORACLE' }],
  ] as const) {
    const response = await application.send(path, { ...whose, pass });
    expect([path, response.status, outcomeOf(response)]).toEqual([path, 500, 'The key is unavailable']);
  }
  const reported = application.logged.filter((line) => line.includes('the client was not told why'));
  expect(reported).toEqual([
    expect.stringMatching(/The encryption key [0-9a-f]{16} is not|A stored secret was altered/),
  ]);
  expect(reported[0]).toContain('seed of ORACLE');
});
