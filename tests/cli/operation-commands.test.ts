import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { z } from 'zod';
import { CommandContext } from '../../src/cli/command-context.ts';
import { addOperationCommands } from '../../src/cli/operation-commands.ts';
import { text } from '../../src/operations/input.ts';
import { operation } from '../../src/operations/operation.ts';
import { temporaryFolder } from '../support/values/temporary-folder.ts';
import { type Answers, fakeCli, runFake } from './fake-dependencies.ts';
import { fakeIo } from './fake-io.ts';

const WEBHOOK = {
  id: '7',
  name: 'siem',
  url: 'https://siem.example.com/',
  events: ['token.locked'],
  realms: [],
  active: true,
  isPublicOnly: false,
  createdAt: new Date('2026-11-01T00:00:00Z'),
  waiting: 2,
  oldestWaitingAt: new Date('2026-11-02T00:00:00Z'),
  givenUp: 1,
  delivered: 9,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastFailure: 'HTTP 500',
};
const ANSWERS: Answers = {
  'webhooks.list': [WEBHOOK],
  'webhooks.show': WEBHOOK,
  'webhooks.add': 'whsec_x',
  'webhooks.retry': 3,
  'webhooks.test': { status: null, failure: 'no answer', durationMs: 5, eventId: 'e' },
  'webhooks.remove': 3,
  'people.person': {
    login: 'anna',
    realm: 'office',
    resolver: 'staff',
    details: { givenName: 'Anna', surname: 'Berg', email: '', phone: '' },
    tokens: [
      {
        serial: 'QR1',
        type: 'ocra2',
        owner: { login: 'anna', resolver: 'staff' },
        realms: ['office'],
        state: 'active',
        failCount: 0,
      },
    ],
    hasMore: false,
    transactions: null,
    sessions: null,
  },
};

const run = (line: string, typed?: readonly string[]) => runFake(line, ANSWERS, fakeIo(typed && { typed }));

describe('the command of an operation', () => {
  it('shows people a table of the fields with a title, and one thing line by line', async () => {
    expect((await run('webhook list')).out).toBe(
      [
        'NAME  URL                        ACTIVE  WAITING  GIVEN UP  LAST FAILURE',
        'siem  https://siem.example.com/  yes           2         1  HTTP 500',
        '',
      ].join('\n'),
    );
    expect((await run('webhook show siem')).out).toMatch(/^Created at +2026-11-01T00:00:00.000Z$/m);
  });

  it('shows people what is in a thing: facts of another one line by line, a list as a table', async () => {
    const { out } = await run('helpdesk person anna');
    expect(out).toMatch(/^Details given name +Anna$/m);
    expect(out).toMatch(/^QR1 +ocra2 +anna +office +active +0$/m);
    expect(out).toMatch(/^Transactions: none$/m);
  });

  it('shows scripts the declared fields, and no others', async () => {
    const { out } = await run('--json webhook show siem');
    expect(JSON.parse(out)).toEqual({
      name: 'siem',
      url: 'https://siem.example.com/',
      events: ['token.locked'],
      realms: [],
      active: true,
      is_public_only: false,
      created_at: '2026-11-01T00:00:00.000Z',
      waiting: 2,
      oldest_waiting_at: '2026-11-02T00:00:00.000Z',
      given_up: 1,
      delivered: 9,
      last_success_at: null,
      last_failure_at: null,
      last_failure: 'HTTP 500',
    });
  });

  it('takes what is required as words, and the rest as options: lists, flags', async () => {
    const { code, out, calls } = await run(
      'webhook add siem http://10.0.0.5/ --events token.locked,token.enrolled --allow-http',
    );
    expect([code, out.split('\n')[0]]).toEqual([0, 'whsec_x']);
    const events = ['token.locked', 'token.enrolled'];
    const request = { name: 'siem', url: 'http://10.0.0.5/', events, allowsHttp: true };
    expect(calls).toEqual([['webhooks.add', request]]);
  });

  it('says what was done, and fails where it was done in vain', async () => {
    expect(await run('webhook retry siem')).toMatchObject({ out: '3 deliveries to siem are due now\n' });
    expect(await run('--json webhook retry siem')).toMatchObject({ out: '3\n' });
    expect(await run('webhook enable siem')).toMatchObject({ code: 0, out: 'the webhook siem is enabled\n' });
    expect(await run('webhook test siem')).toMatchObject({
      code: 1,
      err: 'tankeeper: the webhook siem did not take it after 5 ms: no answer\n',
    });
  });

  it('asks before what has consequences, unless a script has confirmed it', async () => {
    expect(await run('webhook remove siem')).toMatchObject({
      code: 2,
      err: expect.stringContaining('3 events for siem are lost. Nothing was changed'),
    });
    expect(await run('webhook remove siem', ['y'])).toMatchObject({
      code: 0,
      out: 'the webhook siem is removed\n',
    });
    expect((await run('webhook remove siem --yes')).calls).toEqual([['webhooks.remove', 'siem']]);
    const { out, calls } = await run('webhook remove siem --dry-run');
    expect([out, calls.filter(([name]) => name === 'webhooks.remove')]).toEqual([
      '3 events for siem are lost; nothing was changed\n',
      [],
    ]);
  });
});

describe('a secret of an operation', () => {
  const folder = temporaryFolder();
  const given: unknown[] = [];
  const set = operation({
    name: 'thing set',
    does: 'sets the secret of a thing',
    right: 'system:write',
    changes: true,
    input: {
      name: text('the name', 'one'),
      key: z.string().meta({ description: 'the key', secret: true, examples: [] }),
      size: z.string().regex(/^\d+$/, 'a number').optional(),
    },
    run: (_services, _caller, input) => Promise.resolve(void given.push(input)),
  });

  async function runSet(words: readonly string[], typed?: readonly string[]): Promise<string> {
    const { dependencies, io } = fakeCli({}, { io: fakeIo(typed === undefined ? {} : { typed }) });
    const program = new Command('tankeeper').option('--json').exitOverride();
    addOperationCommands(program, new CommandContext(dependencies, program), {
      name: 'thing',
      about: 'things',
      operations: [set],
    });
    await program.parseAsync(['thing', 'set', ...words], { from: 'user' });
    return io.out();
  }

  it('comes from a prompt, twice, or from a file, and is never a word', async () => {
    expect(await runSet(['one'], ['s3cret', 's3cret'])).toBe('done\n');
    const file = join(folder, 'key');
    await writeFile(file, 'k3y\n');
    await runSet(['two', '--key-file', file, '--size', '7']);
    expect(given).toEqual([
      { name: 'one', key: 's3cret' },
      { name: 'two', key: 'k3y', size: '7' },
    ]);
    await expect(runSet(['one', 's3cret'])).rejects.toThrow('too many arguments');
    await expect(runSet(['one', '--key-file', file, '--size', 'x'])).rejects.toThrow('size: a number');
  });
});
