import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runProgram } from '../../../../src/cli/program.ts';
import { type Installation, openInstallation } from '../../../../src/compose/open-installation.ts';
import { loadConfig } from '../../../../src/config/config.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/test-database.ts';
import { freePort } from '../../../support/servers/wait-for-port.ts';
import { fakeCli } from '../../fake-dependencies.ts';
import { fakeIo } from '../../fake-io.ts';
import { temporaryFolder } from '../../../support/values/temporary-folder.ts';

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const ignore = (): void => undefined;
const LOG = { error: ignore, warn: ignore, info: ignore, debug: ignore };

/** Texts that old servers and their language are known by, and that no command may show. */
const FOREIGN =
  /\bu'|failed: |getUser\w+|Traceback|\bNone\b|\bTrue\b|\bFalse\b|checkPolicy|unexpected failure|"jsonrpc"/;

const folder = temporaryFolder();
let test: TestDatabase;
let installation: Installation;
/** A port on which nothing listens. */
let port: number;

beforeAll(async () => {
  [test, port] = await Promise.all([createTestDatabase(), freePort()]);
  const config = loadConfig({ DATA_DIR: folder, DATABASE_URL: test.url, RESOLVER_TIMEOUT: '30S' });
  await (await openInstallation(config, 'server', LOG)).close();
  installation = await openInstallation(config, 'command', LOG);
  const ldap = `--set LDAPURI=ldap://127.0.0.1:${port} --set LDAPBASE=dc=x --set LOGINNAMEATTRIBUTE=uid --set LDAPSEARCHFILTER=(uid=*) --set LDAPFILTER=(uid=%s) --set USERINFO={"username":"uid"}`;
  const sql = `--set Driver=postgresql --set Server=127.0.0.1 --set Port=${port} --set Database=d --set User=u --set Table=t --set Map={"userid":"id","username":"login"}`;
  for (const line of [
    `resolver add corp --kind ldap ${ldap} --yes`,
    `resolver add rows --kind sql ${sql} --yes`,
    'realm add office --resolvers corp',
    'realm add plant --resolvers rows',
  ]) {
    expect(await run(line)).toMatchObject({ code: 0 });
  }
});
afterAll(async () => {
  await installation.close();
  await test.drop();
});

async function run(line: string): Promise<{ code: number; said: string }> {
  const io = fakeIo();
  const openServices = () => Promise.resolve({ ...installation.services, close: () => Promise.resolve() });
  const { dependencies } = fakeCli({}, { io, openServices });
  const code = await runProgram(line.split(' '), dependencies);
  return { code, said: io.out() + io.err() };
}

const COMMANDS: readonly (readonly [line: string, resolver: string])[] = [
  ['user list --realm office', 'corp'],
  ['user list --realm plant', 'rows'],
  ['user list --resolver corp --search a*', 'corp'],
  ['resolver test corp', 'corp'],
  ['resolver test rows', 'rows'],
  ['resolver set corp --set TIMEOUT=3', 'corp'],
  ['resolver set rows --set Where=id>0', 'rows'],
  [`token init --serial T1 --suite ${SUITE} --generate --user ann --realm office`, 'corp'],
  [`token init --serial T2 --suite ${SUITE} --generate --user ann@plant`, 'rows'],
  ['token list --user ann --user-realm office', 'corp'],
  ['token list --user ann@plant', 'rows'],
];

it.each(COMMANDS)('%s names the resolver %s, its server and the reason', async (line, resolver) => {
  const { code, said } = await run(line);
  expect(said).toContain(`The resolver '${resolver}' is unavailable: no `);
  expect(said).toContain(`127.0.0.1:${port}`);
  expect(said).toContain('no server listens there');
  expect(said).not.toMatch(FOREIGN);
  expect([1, 2]).toContain(code);
});

const FAILURES: readonly string[] = [
  'user list --realm lab',
  'user remove ann corp',
  'token show T9',
  'token assign T9 ann --realm office',
  'token remove T9',
  'token set T9 --description x',
  'token resync T9',
  'challenge issue T9',
  'transaction show 123456789012',
  'policy remove p',
  'policy set p --scope admin --action nothing --user *',
  'setting set OcraMaxChallenges none',
  'licence show',
  'webhook remove w',
  'admin remove nobody',
  'audit search --outcome none',
];

it.each(FAILURES)('%s fails in our own words', async (line) => {
  const { said } = await run(line);
  expect(said).not.toBe('');
  expect(said).not.toMatch(FOREIGN);
});
