import { describe, expect, it } from '@jest/globals';
import { runProgram } from '../../../../src/cli/program.ts';
import { type Answers, type Call, fakeCli } from '../../fake-dependencies.ts';
import { fakeIo } from '../../fake-io.ts';

const AT = new Date('2026-11-20T03:00:00Z');
const OBSTACLES = [
  { kind: 'client', text: 'it is for the clients 10.0.0.0/8' },
  { kind: 'time', text: 'it holds at * 8-17 * * * *' },
];
const EXPLAINED = {
  administrator: 'carol',
  groups: undefined,
  isKnown: false,
  realm: undefined,
  client: '',
  at: AT,
  rights: [
    {
      right: { scope: 'admin', action: 'show' },
      decision: { allowed: true, by: 'policies', realms: ['office'], policies: [] },
      allowed: true,
      policies: [{ policy: 'desk', applies: true, obstacles: [] }],
    },
    {
      right: { scope: 'admin', action: 'init' },
      decision: { allowed: false, lack: 'policy' },
      allowed: false,
      policies: [{ policy: 'day', applies: false, obstacles: OBSTACLES }],
    },
    {
      right: { scope: 'system', action: 'read' },
      decision: { allowed: true, by: 'open', realms: 'all', policies: [] },
      allowed: true,
      policies: [],
    },
  ],
};
const ANSWERS: Answers = {
  'explanations.explainRights': EXPLAINED,
  'explanations.explainValues': {
    values: [{ action: 'otppin', values: ['1'], policies: [] }],
  },
  'explanations.explainRefusal': {
    ...EXPLAINED,
    refusal: {
      administrator: 'carol',
      endpoint: 'admin/init',
      client: '10.0.0.5',
      at: AT,
      isByApiToken: true,
    },
    remedies: [],
    changes: [{ policy: 'day', kind: 'removed', administrator: 'bert', at: AT }],
  },
};

async function run(...parameters: readonly string[]): Promise<{
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly calls: readonly Call[];
}> {
  const io = fakeIo({});
  const { dependencies, calls } = fakeCli(ANSWERS, { io });
  const code = await runProgram(parameters, dependencies);
  return { code, out: io.out(), err: io.err(), calls };
}

describe('policy explain', () => {
  it('shows every right with its reasons', async () => {
    const { out, calls } = await run(
      'policy',
      'explain',
      'carol',
      '--realm',
      'office',
      '--client',
      '10.0.0.5',
    );
    expect(out).toContain('there is no administrator carol');
    expect(out).toMatch(/admin:show +yes +office +desk/);
    expect(out).toMatch(/admin:init +no +day: it is for the clients 10\.0\.0\.0\/8, and it holds at/);
    expect(out).toMatch(/system:read +yes +\* +no policy of the scope is active/);
    expect(calls).toEqual([
      [
        'explanations.explainRights',
        { administrator: 'carol', realm: 'office', client: '10.0.0.5', at: undefined, groups: undefined },
      ],
    ]);
  });

  it('shows only what is refused', async () => {
    const { out } = await run('--json', 'policy', 'explain', 'carol', '--only', 'refused');
    expect(JSON.parse(out)).toEqual([
      {
        right: 'admin:init',
        outcome: 'no',
        realms: [],
        policies: [{ policy: 'day', applies: false, obstacles: OBSTACLES }],
      },
    ]);
  });

  it('explains a refusal, and says that policies have changed since then', async () => {
    const { out } = await run('policy', 'explain', '--request', 'r1');
    expect(out).toContain('admin/init was refused to carol from 10.0.0.5');
    expect(out).toContain('the API token did not have the right');
    expect(out).toContain('day was removed by bert');
  });

  it('shows the values for the owner of a token', async () => {
    const { out } = await run('policy', 'explain', '--user', 'zoe', '--realm', 'office');
    expect(out).toMatch(/authentication:otppin +1 +no policy names it/);
  });

  it('needs to know who it is about', async () => {
    const { code, err } = await run('policy', 'explain');
    expect(code).toBe(2);
    expect(err).toContain('name an administrator');
  });
});
