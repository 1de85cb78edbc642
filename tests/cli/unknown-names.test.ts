import { describe, expect, it } from '@jest/globals';
import { runProgram } from '../../src/cli/program.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { type Answers, fakeCli } from './fake-dependencies.ts';

const NAMED = {
  'realms.list': [{ name: 'office' }, { name: 'lab' }],
  'resolvers.list': [{ name: 'people', kind: 'managed', settings: {} }],
  'policies.list': [{ name: 'ocra-administrators' }],
  'administrators.list': [{ name: 'admin', createdAt: new Date(0) }],
  'audit.search': [],
};

async function failureOf(line: string, answers: Answers = {}): Promise<{ code: number; err: string }> {
  const { dependencies, io } = fakeCli({ ...NAMED, ...answers });
  const code = await runProgram(line.split(' '), dependencies);
  return { code, err: io.err() };
}

describe('a command that names what does not exist', () => {
  it.each<[string, string, ServiceError]>([
    ['realm remove offize', 'office', new ServiceError('realm.unknown', 'no realm', { name: 'offize' })],
    ['resolver test peple', 'people', new ServiceError('resolver.unknown', 'no', { name: 'peple' })],
    [
      'policy remove ocra-administrator',
      'ocra-administrators',
      new ServiceError('policy.unknown', 'no policy', { name: 'ocra-administrator' }),
    ],
    ['admin remove amdin', 'admin', new ServiceError('administrator.unknown', 'no', { name: 'amdin' })],
  ])('%s: did you mean %s?', async (line, nearest, error) => {
    const [noun = '', verb = ''] = line.split(' ');
    const service = { realm: 'realms', resolver: 'resolvers', policy: 'policies', admin: 'administrators' }[
      noun
    ];
    const { code, err } = await failureOf(line, { [`${service ?? ''}.${verb}`]: error });
    expect({ code, err }).toEqual({
      code: 1,
      err: `tankeeper: ${error.message}: did you mean ${nearest}?\n`,
    });
  });

  it.each([
    ['realm show offize', 'there is no realm offize: did you mean office?', 1],
    ['realm show xyz', 'there is no realm xyz; `tankeeper realm list` shows those that there are', 1],
    ['resolver show peple', 'there is no resolver peple: did you mean people?', 1],
    ['resolver set peple --file x', 'there is no resolver peple: did you mean people?', 1],
    ['audit search --outcome wrongg', "There is no outcome 'wrongg' in the audit: did you mean wrong?", 1],
    [
      'audit search --action ocra/chek_t',
      "There is no action 'ocra/chek_t' in the audit: did you mean ocra/check_t?",
      1,
    ],
    [
      'policy list --scope monitorin',
      'unknown scope monitorin: did you mean monitoring? the scopes are admin, system, monitoring, ocra, authentication, selfservice',
      2,
    ],
    [
      'resolver add x --kind sql --set Limitt=1',
      'a resolver of the kind sql has no setting Limitt: did you mean Limit? it has',
      2,
    ],
    ['relam list', "unknown command 'relam'\n(Did you mean realm?)", 2],
    ['realm lst', "unknown command 'lst'\n(Did you mean list?)", 2],
    ['user list --relam office', "unknown option '--relam'\n(Did you mean --realm?)", 2],
  ])('%s: %s', async (line, message, exitCode) => {
    const { code, err } = await failureOf(line);
    expect(err).toContain(message);
    expect(code).toBe(exitCode);
  });

  it('stores an unknown setting, or a policy with unknown realms, only by force', async () => {
    const answers = {
      'settings.unreadReason':
        'the server reads no setting OcraMaxChalenges: did you mean OcraMaxChallenges?',
      'policies.unknownNames': [{ part: 'realm', name: 'offize', nearest: 'office' }],
    };
    const lines = [
      'setting set OcraMaxChalenges 5',
      'policy set p --scope admin --action show --user * --realm offize',
    ];
    for (const line of lines) {
      const { dependencies, calls, io } = fakeCli(answers);
      expect(await runProgram(line.split(' '), dependencies)).toBe(1);
      expect(io.err()).toMatch(
        /did you mean (?:office|OcraMaxChallenges)\?\)? \(--force stores it all the same\)/,
      );
      expect(calls.map(([name]) => name).filter((name) => name.endsWith('.set'))).toEqual([]);
      expect(await runProgram([...line.split(' '), '--force'], dependencies)).toBe(0);
      expect(calls.at(-1)?.[0]).toMatch(/\.set$/);
    }
  });
});
