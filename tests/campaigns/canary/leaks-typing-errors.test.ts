import { describe, expect, it } from '@jest/globals';
import { checkSettings } from '../../../src/resolvers/settings/settings-rules.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { loadConfig, describeConfig } from '../../../src/config/config.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { pskcFileReader } from '../../../src/tokens/pskc-file.ts';
import { describeDatabaseFault } from '../../../src/database/database-faults.ts';
import { fakeCli } from '../../cli/fake-dependencies.ts';
import { CanaryMarks } from './canary-marks.ts';
import { CanarySearch } from './canary-search.ts';
import { container, ocraPackage } from '../../support/values/pskc-documents.ts';

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

  it('DATABASE_URL does not repeat the password, whether the start is refused or the database is not there', async () => {
    const marks = new CanaryMarks();
    const password = marks.word('database password', 'in DATABASE_URL');
    const url = `postgres://app:12${password}@db.example:5432/tankeeper`;
    const colon = url.indexOf(':12');
    const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const said = await complaints(typingErrors(url, SEPARATORS, colon), (DATABASE_URL) => {
      const [row] = describeConfig({ DATABASE_URL }).filter(({ variable }) => variable === 'DATABASE_URL');
      loadConfig({ DATABASE_URL });
      throw new Error(`${row?.value ?? ''} ${describeDatabaseFault(away, DATABASE_URL)}`);
    });
    expect(said.filter((message) => message.includes('is not available')).length).toBeGreaterThan(100);
    expect(said.filter((message) => message.includes('is not allowed')).length).toBeGreaterThan(100);
    expectNoMark(marks, said);
  });

  it("a resolver's URL does not repeat the password, nor keep it among the settings that are shown", async () => {
    const marks = new CanaryMarks();
    const password = marks.word('resolver password', 'in Connect');
    const url = `postgresql://reader:12${password}@db.example:5432/crm?sslmode=require`;
    const colon = url.indexOf(':12');
    const rest = { Table: 'people', Map: '{"userid": "id", "username": "login"}' };
    const said = await complaints(typingErrors(url, SEPARATORS, colon), (Connect) => {
      throw new Error(JSON.stringify({ ...checkSettings('sql', { Connect, ...rest }), Password: undefined }));
    });
    expect(said.filter((message) => message.startsWith('{')).length).toBeGreaterThan(100);
    expectNoMark(marks, said);
  });

  it.each([
    [(secret: string) => ['admin', 'add', 'bert', `--password=${secret}`]],
    [(secret: string) => ['admin', 'add', 'bert', `-p${secret}`]],
    [(secret: string) => ['admin', 'add', 'bert', secret]],
    [(secret: string) => ['token', 'init', `--pin=${secret}'x`]],
    [(secret: string) => ['resolver', 'add', 'l', '--kind', 'ldap', '--set', `BINDPW=${secret}`]],
    [(secret: string) => ['resolver', 'add', 's', '--kind', 'sql', '--set', `Password=${secret}`]],
    [
      (secret: string) => [
        'resolver',
        'add',
        's',
        '--kind',
        'sql',
        '--set',
        `Connect=mysql://u:${secret}@h/d`,
      ],
    ],
    [(secret: string) => ['import', 'pskc', 'keys.xml', '--password', secret]],
  ])('a command with a secret among its arguments does not repeat it: %#', async (parameters) => {
    const marks = new CanaryMarks();
    const cli = fakeCli(
      {},
      {
        loadConfiguration: () => Promise.resolve(loadConfig({ LOG_LEVEL: 'debug' })),
      },
    );
    const given = parameters(marks.text('password', 'an argument'));
    expect(await runProgram(given, cli.dependencies)).toBe(2);
    expect(cli.io.err()).toMatch(/^tankeeper: /);
    expect(cli.calls).toEqual([]);
    expectNoMark(marks, [cli.io.err(), cli.io.out()]);
  });
});
