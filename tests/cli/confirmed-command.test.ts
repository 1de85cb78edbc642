import { describe, expect, it } from '@jest/globals';
import { runProgram } from '../../src/cli/program.ts';
import { fakeCli } from './fake-dependencies.ts';
import { fakeIo } from './fake-io.ts';

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
  const io = fakeIo(typed === undefined ? {} : { typed });
  const { dependencies, calls } = fakeCli({ 'consequences.ofRealmRemoval': consequences }, { io });
  const code = await runProgram(words, dependencies);
  return { code, out: io.out(), err: io.err(), prompts: io.prompts, acts: calls.map(([name]) => name) };
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

  it.each([
    'realm remove x',
    'realm set x --resolvers a',
    'realm default x',
    'resolver remove x',
    'user remove x --resolver a',
    'token remove x',
    'token disable x',
    'token unassign x',
    'token realms x --none',
    'token init --serial x --generate',
    'user password x --resolver a --remove',
    'policy set x --scope ocra --action request --user x',
    'policy remove x',
    'policy disable x',
    'policy enable x',
    'setting set x y',
    'setting remove x',
    'admin remove x',
    'admin api-token remove x y',
    'keys retire 0123456789abcdef',
    'licence remove',
    'audit prune --before 2026-01-01',
  ])('%s changes nothing by --dry-run', async (line) => {
    const answers = {
      'realms.list': [{ name: 'x', resolvers: [] }],
      'policies.unknownNames': [],
      'licences.show': { kind: 'none' },
      'audit.monthsBefore': 2,
    };
    const { dependencies, calls } = fakeCli(answers);
    expect(await runProgram([...line.split(' '), '--dry-run'], dependencies)).toBe(0);
    const writing = /\.(?:set|remove|removeApiToken|setDefault|disable|unassign|retire|prune)$/;
    expect(calls.map(([name]) => name).filter((name) => writing.test(name))).toEqual([]);
  });
});
