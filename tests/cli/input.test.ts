import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readSecret } from '../../src/cli/files.ts';
import { fakeIo } from './fake-io.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';
import { runProgram } from '../../src/cli/program.ts';
import { fakeCli, runFake } from './fake-dependencies.ts';
import { pastInstantOption } from '../../src/cli/commands/audit.ts';
import { wholeNumberOption } from '../../src/cli/commands/user.ts';

const SOURCE = { name: 'Password of bert', option: '--password-file', file: undefined, isNew: false };

describe('a secret', () => {
  const folder = temporaryFolder();

  async function fromFile(content: string | Buffer): Promise<string> {
    const file = join(folder, 'secret');
    await writeFile(file, content);
    return readSecret(fakeIo(), { ...SOURCE, file });
  }

  it('comes from a file, without the line end at its end', async () => {
    expect(await fromFile('s3cret\n')).toBe('s3cret');
    expect(await fromFile('s3cret\r\n')).toBe('s3cret');
  });

  it('keeps all else of the file: blanks, further line ends, a byte order mark', async () => {
    expect(await fromFile(' a b \n\n')).toBe(' a b \n');
    expect(await fromFile('\ufeffx')).toBe('\ufeffx');
  });

  it.each([
    ['empty', '', 'Password of bert is empty'],
    ['nothing but a line end', '\n', 'Password of bert is empty'],
    ['not UTF-8', Buffer.from([0xff, 0xfe]), 'Password of bert is not UTF-8 text'],
    [
      'encrypted by age',
      Buffer.from('age-encryption.org/v1\n-> scrypt aaaa 18\n\xff', 'latin1'),
      'Password of bert is itself encrypted by age',
    ],
    [
      'encrypted by age, as text',
      '\r\n-----BEGIN AGE ENCRYPTED FILE-----\r\nYWdl\r\n',
      'Password of bert is itself encrypted by age',
    ],
    ['far too long', 'x'.repeat(70_000), 'Password of bert is longer than 65536 bytes'],
  ])('is refused from a file that is %s', async (_what, content, message) => {
    await expect(fromFile(content)).rejects.toThrow(message);
  });

  it('is refused, with the reason, from a file that is not there', async () => {
    await expect(readSecret(fakeIo(), { ...SOURCE, file: join(folder, 'none') })).rejects.toThrow(
      /^cannot read .*none: there is no such file$/,
    );
  });

  it('comes from standard input for -, in however many parts', async () => {
    const io = fakeIo({ stdin: ['s3', 'cret', '\n'] });
    expect(await readSecret(io, { ...SOURCE, file: '-' })).toBe('s3cret');
  });

  it('stops reading standard input that does not end', async () => {
    const io = fakeIo({ stdin: Array.from({ length: 100 }, () => 'x'.repeat(1000)) });
    await expect(readSecret(io, { ...SOURCE, file: '-' })).rejects.toThrow('longer than');
  });

  it('cannot be asked for where there is no terminal, and says what to do', async () => {
    await expect(readSecret(fakeIo(), SOURCE)).rejects.toThrow('give --password-file FILE');
  });
});

const CONSEQUENCES = [
  { code: 'realm.tokens', text: '3 tokens leave this realm' },
  { code: 'realm.default', text: 'it is the default realm' },
];

const QUESTION = '3 tokens leave this realm; it is the default realm. Go on? [y/N] ';

const LINE = ['realm', 'remove', 'office'];

async function run(
  words: readonly string[],
  typed?: readonly string[],
  consequences: unknown = CONSEQUENCES,
) {
  const answers = { 'consequences.ofRealmRemoval': consequences };
  const { calls, ...ran } = await runFake(words, answers, fakeIo(typed && { typed }));
  return { ...ran, acts: calls.map(([name]) => name) };
}

describe('a command with consequences', () => {
  it.each([
    ['y', 0, 'the realm office is removed\n', '', ['realms.remove']],
    ['YES ', 0, 'the realm office is removed\n', '', ['realms.remove']],
    ['', 1, '', 'tankeeper: nothing was changed\n', []],
    ['no', 1, '', 'tankeeper: nothing was changed\n', []],
  ])('asks at a terminal; answer %p: %p', async (answer, code, out, err, acts) => {
    expect(await run(LINE, [answer])).toEqual({ code, out, err, acts, prompts: [QUESTION] });
  });

  it('is refused without a terminal, and names --yes', async () => {
    expect(await run(LINE)).toEqual({
      code: 2,
      out: '',
      err:
        'tankeeper: 3 tokens leave this realm; it is the default realm. Nothing was changed: without a terminal ' +
        'to ask at, --yes confirms it\n',
      acts: [],
      prompts: [],
    });
  });

  it('goes on without a question by --yes, and where nothing follows', async () => {
    expect(await run([...LINE, '--yes'])).toMatchObject({ code: 0, err: '', acts: ['realms.remove'] });
    expect(await run(LINE, undefined, [])).toMatchObject({ code: 0, err: '', acts: ['realms.remove'] });
  });

  it('only says what follows by --dry-run, in words or for scripts', async () => {
    for (const words of [
      [...LINE, '--dry-run'],
      [...LINE, '--dry-run', '--yes'],
    ]) {
      expect(await run(words)).toMatchObject({
        code: 0,
        out: '3 tokens leave this realm; it is the default realm; nothing was changed\n',
        acts: [],
      });
    }
    const { out } = await run([...LINE, '--dry-run', '--json']);
    expect(JSON.parse(out)).toEqual({ dry_run: true, consequences: CONSEQUENCES });
    expect((await run([...LINE, '--dry-run'], undefined, [])).out).toBe(
      'nothing else follows; nothing was changed\n',
    );
  });
});

describe('a command that names what does not exist', () => {
  it('stores an unknown setting, or a policy with unknown realms, only where it is confirmed', async () => {
    const answers = {
      'settings.unreadReason': 'the server reads no setting OcraMaxChalenges',
      'policies.unknownNames': [{ part: 'realm', name: 'offize' }],
    };
    const lines = [
      'setting set OcraMaxChalenges 5',
      'policy set p --scope admin --action show --user * --realm offize',
    ];
    for (const line of lines) {
      const { dependencies, calls, io } = fakeCli(answers);
      expect(await runProgram(line.split(' '), dependencies)).toBe(2);
      expect(io.err()).toMatch(/(?:offize|OcraMaxChalenges)\. Nothing was changed: .* --yes confirms it/);
      expect(calls.map(([name]) => name).filter((name) => name.endsWith('.set'))).toEqual([]);
      expect(await runProgram([...line.split(' '), '--yes'], dependencies)).toBe(0);
      expect(calls.at(-1)?.[0]).toMatch(/\.set$/);
    }
  });
});

const NOW = new Date('2026-11-20T12:00:00Z');

describe('values of options', () => {
  it('a duration counts from the time of the service, which is known when it is open', () => {
    let now = NOW;
    const clock = { now: () => now };
    const since = pastInstantOption(clock)('30D');
    now = new Date('2024-02-24T12:00:00Z');
    expect(since()).toEqual(new Date('2024-01-25T12:00:00Z'));
  });

  it.each(['-1', '1.5', '1e3', '0x10', '', ' 1', '11', '99999999999'])(
    '%j is no number from 0 to 10',
    (text) => {
      expect(() => wholeNumberOption(0, 10)(text)).toThrow('from 0 to 10');
    },
  );
});
