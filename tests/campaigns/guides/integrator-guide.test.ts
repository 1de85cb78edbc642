import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { linkTargets } from '../../repository/markdown.ts';
import { readRepositoryFile, REPOSITORY } from '../../repository/repository-file.ts';
import { findSystemProgram } from '../../support/servers/program-paths.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { assertSucceeded, guideCommands, GuideSandbox, PASSWORD, type Replacement } from './guide-sandbox.ts';

const PAGE = 'docs/guides/integrator.md';
const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');
const KEY = Buffer.alloc(20, '1');
const TEXT = 'Pay 12.50 € to Bert & Söhne?';

/** The clients that the page links to: file in docs/examples, program, Debian package. */
const CLIENTS = [
  ['client.sh', 'bash', 'bash'],
  ['client.py', 'python3', 'python3'],
  ['Client.java', 'java', 'default-jdk-headless'],
  ['client.php', 'php', 'php-cli'],
] as const;

/** The token that the command before has printed, in the place of the page's. */
const TOKEN: readonly Replacement[] = [
  ['ocra:request,ocra:status --expires 365D', '$& | tee token.txt'],
  ['"$TANKEEPER_TOKEN"', '"$(grep -o \'tk_[A-Za-z0-9_-]*\' token.txt)"'],
];

let sandbox: GuideSandbox;
let token: string;
/** Counter of the device of anna. */
let counter = 0n;

beforeAll(async () => {
  sandbox = await GuideSandbox.start();
  await sandbox.write('portal-password', PASSWORD);
  await sandbox.write('tokens.csv', `serial,key,user,realm\nQR1,${KEY.toString('hex')},anna,office\n`);
  await sandbox.prepare([
    'resolver add staff',
    'realm add office --resolvers staff',
    'user add anna staff',
    'import csv @work/tokens.csv',
  ]);
  const run = await sandbox.run(guideCommands(PAGE), TOKEN);
  assertSucceeded(run);
  token = /tk_[\w-]+/.exec(run.output)?.[0] ?? '';
});

afterAll(() => sandbox.remove());

it('links to each client that is tried here', () => {
  const examples = linkTargets(readRepositoryFile(PAGE)).filter((target) =>
    target.startsWith('../examples/'),
  );
  expect(examples).toEqual(CLIENTS.map(([file]) => `../examples/${file}`));
});

describe.each(CLIENTS)('docs/examples/%s', (file, name, debianPackage) => {
  const path = join(REPOSITORY, 'docs/examples', file);

  describeWithProgram(`with ${name}`, findRuntime(name), debianPackage, (program) => {
    it('asks, shows the code, and learns that the app has sent the right response', async () => {
      const client = start(program, [path, 'ask', 'anna', TEXT]);
      const { transaction, text, response } = await shownBy(client);
      expect(text).toBe(TEXT);
      await fetch(`${sandbox.server.baseUrl}/ocra/check_t`, {
        method: 'POST',
        body: new URLSearchParams({ transactionid: transaction, pass: response }),
      });
      expect(await client.ended).toMatch(/\nconfirmed\n$/);
    });

    it('sends a typed response: a wrong one, the right one, and this once more after a lost answer', async () => {
      const asking = start(program, [path, 'ask', 'anna', TEXT]);
      const { transaction, response } = await shownBy(asking);
      const wrong = response.replace(/\d$/, (digit) => `${(Number(digit) + 1) % 10}`);
      const said: string[] = [];
      for (const typed of [wrong, response, response]) {
        said.push(await start(program, [path, 'check', transaction, typed]).ended);
      }
      expect(said).toEqual(['not confirmed\n', 'confirmed\n', 'confirmed\n']);
      expect(await asking.ended).toMatch(/\nconfirmed\n$/);
    });

    it('knows nothing of a response where no server answers', async () => {
      const client = start(
        program,
        [path, 'check', '0123456789abcdef0123', '12345678'],
        'http://127.0.0.1:9',
      );
      expect(await client.ended).not.toMatch(/confirmed/);
      expect(client.process.exitCode).not.toBe(0);
    });

    it('fails with the message of the server', async () => {
      const client = start(program, [path, 'ask', 'nobody', TEXT]);
      expect(await client.ended).not.toMatch(/confirmed/);
      expect(client.process.exitCode).not.toBe(0);
      expect(client.output()).toContain('no user >nobody< found');
    });
  });
});

/**
 * @returns the path of a program; undefined if it is not installed, or if java has no compiler, which a source file
 *   needs
 */
function findRuntime(name: string): string | undefined {
  const isComplete = name !== 'java' || findSystemProgram('javac') !== undefined;
  return isComplete ? findSystemProgram(name) : undefined;
}

/** A client that runs. */
interface Running {
  readonly process: ChildProcess;
  /** Its output, errors included. */
  output(): string;
  /** Its standard output at its end. */
  readonly ended: Promise<string>;
}

function start(program: string, words: readonly string[], url = sandbox.server.baseUrl): Running {
  const child = spawn(program, words, {
    env: {
      PATH: process.env.PATH,
      LC_ALL: 'C.UTF-8',
      TANKEEPER_URL: url,
      TANKEEPER_TOKEN: token,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return {
    process: child,
    output: () => printed + errors,
    ended: once(child, 'close').then(() => printed),
  };
}

/** @returns the transaction that a client shows, and what the device of anna makes of the code */
async function shownBy(client: Running): Promise<{ transaction: string; text: string; response: string }> {
  while (!client.output().includes('\n')) {
    const isOver = await Promise.race([
      once(client.process.stdout ?? client.process, 'data').then(() => false),
      client.ended.then(() => true),
    ]);
    if (isOver) {
      throw new Error(`The client ended: ${client.output()}`);
    }
  }
  const [line = ''] = client.output().split('\n');
  const [transaction = '', code = ''] = line.split(' ');
  const url = parseQrTanUrl(code);
  if (url.kind !== 'req') {
    throw new Error(`No challenge: ${code}`);
  }
  const response = computeResponse(SUITE, KEY, { question: url.question, counter });
  counter += 1n;
  return { transaction, text: url.message, response };
}
