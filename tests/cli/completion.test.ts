import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { splitShellLine } from '../../src/cli/completion/completion.ts';
import { runProgram } from '../../src/cli/program.ts';
import { runCli } from './cli-process.ts';
import { fakeCli } from './fake-dependencies.ts';

async function completed(line: string, answers = {}): Promise<readonly string[]> {
  const { dependencies, io } = fakeCli(answers);
  expect(await runProgram(['complete', '--line', line], dependencies)).toBe(0);
  return io.out().split('\n').slice(0, -1);
}

describe('a line that is completed', () => {
  it.each([
    ['tankeeper tok', ['token']],
    ['tankeeper comp', ['completion']],
    ['tankeeper token res', ['resync', 'reset']],
    ['tankeeper token list --in', ['--in-no-realm', '--inactive']],
    ['tankeeper --json resolver add x --kind m', ['managed']],
    ['tankeeper completion ', ['bash', 'zsh', 'fish']],
    ['tankeeper export ', []],
    ['tankeeper realm add n', []],
  ])('%s', async (line, words) => {
    expect(await completed(line)).toEqual(words);
  });

  it.each([
    ['tankeeper realm remove o', 'realms.list', ['office']],
    ['tankeeper token list --realm o', 'realms.list', ['office']],
    ['tankeeper policy show o', 'policies.list', ['office']],
    ['tankeeper user add anna --resolver o', 'resolvers.list', ['office']],
    ['tankeeper admin password o', 'administrators.list', ['office']],
  ])('%s is looked up', async (line, service, names) => {
    expect(await completed(line, { [service]: [{ name: 'office' }, { name: 'partners' }] })).toEqual(names);
  });

  it('is looked up among serials, after several of them', async () => {
    const answers = { 'tokens.list': [{ serial: 'LSGO1' }, { serial: 'LSGO2\nrm' }] };
    expect(await completed('tankeeper token disable LSGO9 LS', answers)).toEqual(['LSGO1']);
  });

  it('is looked up among the users of the default realm', async () => {
    const answers = {
      'realms.list': [{ name: 'office', isDefault: true }],
      'users.list': [{ login: 'anna' }, { login: 'bert' }],
    };
    expect(await completed('tankeeper challenge a', answers)).toEqual(['anna']);
  });

  it('is silent where the database fails', async () => {
    expect(await completed('tankeeper realm show ', { 'realms.list': new Error('gone') })).toEqual([]);
  });
});

it('a line is split as shells do, and nothing in it is expanded', () => {
  expect(splitShellLine(`a  'b c' "d $(e)" f\\ g h'i'`)).toEqual(['a', 'b c', 'd $(e)', 'f g', 'hi']);
  expect(splitShellLine('a b ')).toEqual(['a', 'b', '']);
  expect(splitShellLine("a 'b c")).toEqual(['a', 'b c']);
});

it('no embedded database is started for a completion', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-glance-'));
  const { code, out, err } = await runCli(['complete', '--line', 'tankeeper realm show '], {
    DATA_DIR: folder,
  });
  expect({ code, out, err }).toEqual({ code: 0, out: '', err: '' });
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
