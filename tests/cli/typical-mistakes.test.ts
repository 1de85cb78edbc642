import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, openInstallation } from '../../src/compose/open-installation.ts';
import { loadConfig } from '../../src/config/config.ts';
import { runProgram } from '../../src/cli/program.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { freePort } from '../support/servers/wait-for-port.ts';
import { fakeCli } from './fake-dependencies.ts';
import { fakeIo } from './fake-io.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const ignore = (): void => undefined;
const LOG = { error: ignore, warn: ignore, info: ignore, debug: ignore };

/** Texts that old servers and their language are known by, and that no command may show. */
const FOREIGN =
  /\bu'|failed: |getUser\w+|Traceback|\bNone\b|\bTrue\b|\bFalse\b|checkPolicy|unexpected failure|"jsonrpc"/;

/** A port on which nothing listens. */
let port: number;
let installation: Installation;
afterAll(() => installation.close());

const folder = temporaryFolder();
const test = databaseOfTests();

beforeAll(async () => {
  port = await freePort();
  await Promise.all([
    writeFile(at('short'), 'x'),
    writeFile(at('empty'), ''),
    writeFile(at('binary'), Buffer.from([0xff, 0xfe])),
    writeFile(at('keys.csv'), 'serial,key\nT9,xyz\n'),
    writeFile(at('columns.csv'), 'number,key\nT9,00\n'),
    writeFile(at('keys.xml'), '<KeyContainer>'),
  ]);
  const config = loadConfig({
    DATA_DIR: folder,
    DATABASE_URL: test.url,
    RESOLVER_TIMEOUT: '10S',
    DATABASE_POOL_SIZE: '5',
  });
  await (await openInstallation(config, 'server', LOG)).close();
  installation = await openInstallation(config, 'command', LOG);
  const ldap = `--set LDAPURI=ldap://127.0.0.1:${port} --set LDAPBASE=dc=x --set LOGINNAMEATTRIBUTE=uid --set LDAPSEARCHFILTER=(uid=*) --set LDAPFILTER=(uid=%s) --set USERINFO={"username":"uid"}`;
  const sql = `--set Driver=postgresql --set Server=127.0.0.1 --set Port=${port} --set Database=d --set User=u --set Table=t --set Map={"userid":"id","username":"login"}`;
  for (const line of [
    'resolver add staff',
    'realm add office --resolvers staff',
    'user add ann staff',
    `token init --serial T1 --suite ${SUITE} --generate`,
    `resolver add corp --kind ldap ${ldap} --yes`,
    `resolver add rows --kind sql ${sql} --yes`,
    'realm add abroad --resolvers corp',
    'realm add plant --resolvers rows',
  ]) {
    expect(await run(line)).toMatchObject({ code: 0 });
  }
});

function at(name: string): string {
  return join(folder, name);
}

/** Runs a command on the shared database; `@name` is a file of the folder. */
async function run(line: string): Promise<{ code: number; out: string; err: string }> {
  const io = fakeIo();
  const { dependencies } = fakeCli(
    {},
    {
      io,
      openServices: () => Promise.resolve({ ...installation.services, close: () => Promise.resolve() }),
    },
  );
  const words = line.split(' ').map((word) => word.replace(/(^|=)@/, `$1${folder}/`));
  const code = await runProgram(words, dependencies);
  return { code, out: io.out(), err: io.err() };
}

/** A mistake: what is typed, and what its message says of what is wrong and where, and of what to do. */
type Mistake = readonly [line: string, wrong: string, remedy: string];

const COMMANDS: readonly Mistake[] = [
  ['realm remove offize', "no realm 'offize'", 'tankeeper realm list'],
  ['realm set office --resolvers stuff', "no resolver 'stuff'", 'tankeeper resolver list'],
  ['relam list', "unknown command 'relam'", 'Did you mean realm?'],
  ['realm list --jsn', "unknown option '--jsn'", 'Did you mean --json?'],
  ['token enable', "missing required argument 'serials'", 'add --help'],
  ['user list --realm lab', "no realm 'lab'", '`tankeeper realm list`'],
  ['user remove anna staff', "no user 'anna'", '`tankeeper user list --realm NAME`'],
  ['token show T2', "serial 'T2'", '`tankeeper token list`'],
  ['token assign T9 ann --realm office', "serial 'T9'", '`tankeeper token list`'],
  ['token init --serial T3 --suite OCRA-1:HOTP-SHA3-8:QN08 --generate', "'SHA3'", 'SHA1, SHA256 or SHA512'],
  ['token init --serial T4 --otpkey-file @empty', 'Key is empty', '--otpkey-file'],
  ['token assign T1 bob', "no user 'bob'", '`tankeeper user list --realm NAME`'],
  ['policy set p --scope ocre --action request --user *', "scope 'ocre'", 'Known: admin'],
  ['policy set p --scope ocra --action reqest --user *', "action 'reqest'", 'Known: request'],
  ['policy set p --scope admin --action show --user *', 'realms of the policy', "'*' for all"],
  ['policy set p --scope admin --action show --user * --realm offize', 'realm offize', '--yes'],
  ['policy set p --scope ocra --action request --user * --client 10.0.0.300', '10.0.0.300', 'address'],
  ['policy remove ocra-administrator', "no policy 'ocra-administrator'", 'tankeeper policy list'],
  ['setting set OcraMaxChalenges 5', 'OcraMaxChalenges', '--yes'],
  ['setting set OcraMaxChallenges many', 'OcraMaxChallenges', 'a whole number from 1 to 1000'],
  ['api-token add admin a monitorin:tokens', 'monitorin:tokens', 'scopes: '],
  ['api-token add admin a * --expires soon', 'expires', '(90D, 12H)'],
  ['admin add bert --password-file @none', 'cannot read', 'none: there is no such file'],
  ['admin add bert --password-file @short', 'password', 'characters'],
  ['admin add bert --password-file @binary', 'The password', 'not UTF-8 text'],
  ['admin add bert', 'without a terminal', '--password-file FILE'],
  ['resolver add u --kind passwd --set fileName=@none', 'cannot be read', '--yes'],
  [
    'resolver add d --kind ldap --set LDAPURI=ldap://127.0.0.1:1 --set LDAPBASE=dc=x --set LOGINNAMEATTRIBUTE=uid ' +
      '--set LDAPSEARCHFILTER=(uid=*) --set LDAPFILTER=(uid=%s) --set USERINFO={"username":"uid"}',
    'users of d cannot be read',
    '--yes',
  ],
  ['resolver add s --kind sql --set Drver=mysql', 'Drver', 'takes these settings: Driver'],
  ['resolver remove staff', "'office'", '`tankeeper realm set`'],
  ['import csv @keys.csv', 'line 2', 'hexadecimal'],
  ['import csv @columns.csv', 'serial', 'column'],
  ['import pskc @keys.xml', 'key file', 'not well-formed XML'],
  ['setting set monitoring.license 500', 'monitoring.license', 'JSON object'],
  ['key retire 123', 'the id of a key has 16 hexadecimal digits', 'tankeeper key list'],
];

describe('a typical mistake on the command line', () => {
  it.each(COMMANDS)('%s: %s; %s', async (line, wrong, remedy) => {
    const { code, out, err } = await run(line);
    const said = out + err;
    expect(said).toContain(wrong);
    expect(said).toContain(remedy);
    expect(said).not.toMatch(/unexpected failure|\n\s+at /);
    expect([1, 2]).toContain(code);
  });
});

describe('a resolver that is away', () => {
  it.each([
    ['user list --realm abroad', 'corp'],
    ['user list --realm plant', 'rows'],
    ['user list --resolver corp --search a*', 'corp'],
    ['resolver test corp', 'corp'],
    ['resolver test rows', 'rows'],
    ['resolver set corp --set TIMEOUT=3', 'corp'],
    ['resolver set rows --set Where=id>0', 'rows'],
    [`token init --serial T5 --suite ${SUITE} --generate --user ann --realm abroad`, 'corp'],
    [`token init --serial T6 --suite ${SUITE} --generate --user ann@plant`, 'rows'],
    ['token list --user ann --user-realm abroad', 'corp'],
    ['token list --user ann@plant', 'rows'],
  ])('is named by %s as %s, with its server and the reason', async (line, resolver) => {
    const { code, out, err } = await run(line);
    const said = out + err;
    expect(said).toContain(`The resolver '${resolver}' is unavailable: no `);
    expect(said).toContain(`127.0.0.1:${port}`);
    expect(said).toContain('no server listens there');
    expect(said).not.toMatch(FOREIGN);
    expect([1, 2]).toContain(code);
  });
});
