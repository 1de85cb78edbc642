import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { CanaryEvidence, CanaryMarks, CanarySearch } from './canary-search.ts';
import { checkSettings } from '../../../src/resolvers/settings/settings-rules.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { describeConfig, loadConfig } from '../../../src/config/config.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { pskcFileReader } from '../../../src/tokens/pskc-file.ts';
import { describeDatabaseFault } from '../../../src/database/database-faults.ts';
import { fakeCli } from '../../cli/fake-dependencies.ts';
import { container, ocraPackage } from '../../support/values/pskc-documents.ts';

const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** Encodings of texts and bytes by other programs, without any of the code under test. */
const WRITTEN: readonly (readonly [string, (secret: Buffer) => string | Buffer])[] = [
  ['in clear', (secret) => secret],
  ['in the other case', (secret) => Buffer.from(swapCase(secret.toString('latin1')), 'latin1')],
  ['in hex', (secret) => secret.toString('hex')],
  ['as bytea', (secret) => `(1,"\\\\x${secret.toString('hex')}")`],
  ['as an inspected Buffer', (secret) => `<Buffer ${secret.toString('hex').replace(/../g, '$& ')}>`],
  ['as a Buffer in JSON', (secret) => JSON.stringify({ secret })],
  ['as a list', (secret) => `[ ${[...secret].join(', ')} ]`],
  ['in base64', (secret) => secret.toString('base64')],
  ['in base64url', (secret) => secret.toString('base64url')],
  ...[1, 2, 3].map(
    (offset) =>
      [
        `in base64 behind ${offset} bytes and before others`,
        (secret: Buffer) => Buffer.concat([randomBytes(offset), secret, randomBytes(5)]).toString('base64'),
      ] as const,
  ),
  ['in hex in base64', (secret) => Buffer.from(`x${secret.toString('hex')}`).toString('base64')],
  ['in base64 in base64', (secret) => Buffer.from(`x${secret.toString('base64')}`).toString('base64')],
  ['in base64 in hex', (secret) => Buffer.from(secret.toString('base64')).toString('hex')],
  ['in an URL, each byte', (secret) => secret.toString('hex').replace(/../g, '%$&')],
  ['escaped as in C', (secret) => secret.toString('hex').replace(/../g, '\\x$&')],
  [
    'escaped as in PostgreSQL',
    (secret) => [...secret].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  ],
  ['backwards', (secret) => Buffer.from(secret).reverse()],
];

const surrounded = (content: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from('time=12:00 message="'), Buffer.from(content), Buffer.from('" path=/x\n')]);

describe.each(WRITTEN)('a secret %s', (_, write) => {
  it('is found: a text, bytes, a response', () => {
    const marks = new CanaryMarks();
    const secrets = {
      'a text': Buffer.from(marks.word('token PIN', 'a text')),
      bytes: marks.bytes('shared secret', 'bytes', 20),
      'a response': Buffer.from(marks.note('response', 'a response', '1472583690')),
    };
    const search = new CanarySearch(marks.all());
    for (const [name, secret] of Object.entries(secrets)) {
      const found = search.look('log', surrounded(write(secret)));
      expect([...new Set(found.map(({ mark }) => mark))]).toEqual([name]);
    }
  });
});

describe('what is searched', () => {
  it('is not excused by an exception for another kind or another place', () => {
    const marks = new CanaryMarks();
    const secret = marks.word('token PIN', 'planted');
    const evidence = new CanaryEvidence();
    for (const place of [
      'log documented',
      'answer documented /x (failure)',
      'answer documented /x (success)',
    ]) {
      evidence.add(place, `PIN ${secret}`);
    }
    const exceptions = [
      { place: /^answer \w+ \/x \(success\)/, kinds: ['token PIN'], because: 'it must' },
      { place: /^log/, kinds: ['password'], because: 'it must' },
      { place: /^nowhere/, kinds: ['token PIN'], because: 'it must' },
    ] as const;
    const { leaks, unused } = evidence.judge(marks, exceptions);
    expect(leaks.map(({ place }) => place)).toEqual(['log documented', 'answer documented /x (failure)']);
    expect(unused).toEqual(exceptions.slice(1));
  });
});

/**
 * Generates typing errors: a character too few, too many or another one.
 * @param kept the place of the character that is not lost
 */
function* typingErrors(text: string, characters: readonly string[], kept = -1): Generator<string> {
  for (let at = 0; at < text.length; at += 1) {
    yield text.slice(0, at);
    for (const character of characters) {
      yield text.slice(0, at) + character + text.slice(at);
    }
    if (at !== kept) {
      for (const character of ['', ...characters]) {
        yield text.slice(0, at) + character + text.slice(at + 1);
      }
    }
  }
}

/** Separators of a URL. Without the colon before it, a password is only a part of the name. */
const SEPARATORS = ['/', '?', '#', ':', '@', ' '];

/** @returns the messages of reading each text, and their number */
async function complaints(
  texts: Iterable<string>,
  read: (text: string) => unknown,
): Promise<readonly string[]> {
  const said: string[] = [];
  for (const text of texts) {
    try {
      await read(text);
    } catch (error) {
      said.push(error instanceof Error ? error.message : String(error));
    }
  }
  return said;
}

function expectNoMark(marks: CanaryMarks, said: readonly string[]): void {
  expect(new CanarySearch(marks.all()).look('message', said.join('\n'))).toEqual([]);
}

describe('an error in', () => {
  it('a key file does not repeat the key', async () => {
    const marks = new CanaryMarks();
    const secret = marks.bytes('token key', 'key in a file', 24);
    const file = container({ packages: ocraPackage('S1', 'OCRA-1:HOTP-SHA256-8:C-QN08', secret, 3) });
    const said = await complaints(typingErrors(file, ['<', '>', '&', '"', "'", ' ', '=', '/']), (text) =>
      pskcFileReader.read(text, { password: undefined, preSharedKey: undefined }),
    );
    expect(said.length).toBeGreaterThan(5_000);
    expectNoMark(marks, said);
    expect(said.some((message) => message.includes('not well-formed XML'))).toBe(true);
  });

  it('the URL of a QR code does not repeat the secret', async () => {
    const marks = new CanaryMarks();
    const secret = marks.bytes('shared secret', 'in an URL', 20).toString('hex');
    const url = `lseqr://init?sh=${secret}&os=OCRA-1%3AHOTP-SHA256-8%3AC-QA64&se=S1`;
    const said = await complaints(typingErrors(url, ['=', '&', '%', '?', ' ']), parseQrTanUrl);
    expect(said.length).toBeGreaterThan(100);
    expectNoMark(marks, said);
  });

  const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

  it.each<[string, string, (url: string) => string]>([
    [
      'DATABASE_URL does not repeat the password, whether the start is refused or the database is not there',
      'tankeeper',
      (DATABASE_URL) => {
        const [row] = describeConfig({ DATABASE_URL }).filter(({ variable }) => variable === 'DATABASE_URL');
        loadConfig({ DATABASE_URL });
        return `${row?.value ?? ''} ${describeDatabaseFault(away, DATABASE_URL)}`;
      },
    ],
    [
      "a resolver's URL does not repeat the password, nor keep it among the settings that are shown",
      'crm?sslmode=require',
      (Connect) => {
        const rest = { Table: 'people', Map: '{"userid": "id", "username": "login"}' };
        return JSON.stringify({ ...checkSettings('sql', { Connect, ...rest }), Password: undefined });
      },
    ],
  ])('%s', async (_, database, show) => {
    const marks = new CanaryMarks();
    const password = marks.word('database password', 'in a URL');
    const url = `postgresql://app:12${password}@db.example:5432/${database}`;
    let shown = 0;
    const said = await complaints(typingErrors(url, SEPARATORS, url.indexOf(':12')), (mistyped) => {
      const text = show(mistyped);
      shown += 1;
      throw new Error(text);
    });
    expect(shown).toBeGreaterThan(100);
    expectNoMark(marks, said);
  });

  it.each([
    [(secret: string) => ['admin', 'add', 'bert', `-p${secret}`]],
    [(secret: string) => ['admin', 'add', 'bert', secret]],
    [(secret: string) => ['token', 'init', `--pin=${secret}'x`]],
    [(secret: string) => ['resolver', 'add', 'l', '--kind', 'ldap', '--set', `BINDPW=${secret}`]],
  ])('a command with a secret among its arguments does not repeat it: %#', async (parameters) => {
    const marks = new CanaryMarks();
    const cli = fakeCli(
      {},
      {
        loadConfiguration: () => Promise.resolve(loadConfig({ LOG_LEVEL: 'debug' })),
      },
    );
    const given = parameters(marks.text('password', 'an argument'));
    expect([1, 2]).toContain(await runProgram(given, cli.dependencies));
    expect(cli.io.err()).toMatch(/^tankeeper: /);
    expect(cli.calls).toEqual([]);
    expectNoMark(marks, [cli.io.err(), cli.io.out()]);
  });
});
