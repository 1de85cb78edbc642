import { afterEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { personAddress, tokenAddress, tokensAddress } from '../../../console/src/helpdesk/addresses.ts';
import { part, readAddress, readPart, viewAddress } from '../../../console/src/shell/page-address.ts';
import { ServerFailure } from '../../../console/src/api/server-failure.ts';
import { foresee, type ListedToken } from '../../../console/src/helpdesk/bulk/bulk-foresight.ts';
import { MAX_BULK, tokensOf, TooManyTokens } from '../../../console/src/helpdesk/bulk/collect.ts';
import { type BulkResult, runBulk } from '../../../console/src/helpdesk/bulk/bulk-run.ts';

describe('the addresses of the helpdesk', () => {
  it('leave usual names as they are', () => {
    expect(tokenAddress('QR-1_a')).toBe('/tokens/QR-1_a');
    expect(personAddress({ user: 'anna.musk@x', realm: 'north', resolver: 'people' })).toBe(
      '/people/north/people/anna.musk@x',
    );
  });

  it('keep what a table shows', () => {
    expect(tokensAddress('locked')).toBe('/tokens;state=locked');
    expect(tokensAddress('unassigned')).toBe('/tokens;owner=unassigned');
    expect(tokensAddress('all')).toBe('/tokens');
    const name = fc.stringMatching(/^[a-z]{1,9}$/);
    const text = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.constantFrom(';', '=', '/:no realm:/'),
    );
    fc.assert(
      fc.property(fc.dictionary(name, text, { noNullPrototype: true }), (view) => {
        expect(readAddress(viewAddress('/tokens', view))).toEqual({ path: '/tokens', view });
      }),
    );
  });

  it('name whatever a user or a token is called', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('~2f~', '%2F', 'a/b ~')),
        (name) => {
          expect(part(name)).toMatch(/^[\w.@~-]*$/);
          expect(readPart(part(name))).toBe(name);
        },
      ),
    );
  });
});

const SERIALS = Array.from({ length: 20 }, (_, number) => `T${number}`);

function refusal(status: number, retryAfter?: number): ServerFailure {
  return new ServerFailure('no', { status, retryAfter });
}

interface Run extends BulkResult {
  readonly sent: readonly string[];
  readonly pauses: readonly number[];
  readonly progress: readonly number[];
}

/** @param answers the failures of a token, one after the other; then it is changed */
async function run(
  answers: Readonly<Record<string, Error[]>>,
  signal = new AbortController().signal,
): Promise<Run> {
  const sent: string[] = [];
  const pauses: number[] = [];
  const progress: number[] = [];
  const result = await runBulk({
    serials: SERIALS,
    signal,
    act: async (serial) => {
      sent.push(serial);
      await Promise.resolve();
      const failure = answers[serial]?.shift();
      if (failure !== undefined) {
        throw failure;
      }
    },
    onProgress: (ended) => progress.push(ended),
    pause: (seconds) => {
      pauses.push(seconds);
      return Promise.resolve();
    },
  });
  return { ...result, sent, pauses, progress };
}

describe('an act on many tokens', () => {
  it('changes each once, and tells how far it is', async () => {
    const { done, failed, left, sent, progress } = await run({});
    expect([...done].sort()).toEqual([...SERIALS].sort());
    expect([failed, left]).toEqual([[], []]);
    expect(sent).toHaveLength(20);
    expect(progress).toEqual(Array.from({ length: 20 }, (_, number) => number + 1));
  });

  it('goes on after a token that is refused, and says why', async () => {
    const { done, failed } = await run({ T3: [refusal(403)] });
    expect(done).toHaveLength(19);
    expect(failed).toMatchObject([{ serial: 'T3', error: { status: 403 } }]);
  });

  it('waits as long as a limit of the server says, and sends again', async () => {
    const { done, pauses } = await run({ T3: [refusal(429, 7), refusal(429)] });
    expect(done).toHaveLength(20);
    expect(pauses).toEqual([7, 1]);
  });

  it('sends no change again that may have arrived, and stops where no server answers or the login ends', async () => {
    for (const status of [0, 503, 401]) {
      const { sent, failed, left, done } = await run({ T0: [refusal(status)] });
      expect(failed).toMatchObject([{ serial: 'T0' }]);
      expect(sent.filter((serial) => serial === 'T0')).toHaveLength(1);
      expect(left.length).toBeGreaterThan(10);
      expect([...done, 'T0', ...left].sort()).toEqual([...SERIALS].sort());
    }
  });

  it('that is stopped begins with no other', async () => {
    const stopped = new AbortController();
    stopped.abort();
    expect(await run({}, stopped.signal)).toMatchObject({ done: [], failed: [], left: SERIALS, sent: [] });
  });
});

describe('the tokens of people', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** @returns the logins that the server was asked for, one a page */
  function serve(
    answer: (user: string, page: number) => { tokens: object[]; next: string | null },
  ): string[] {
    const asked: string[] = [];
    Object.assign(globalThis, { document: { cookie: '' } });
    jest.spyOn(globalThis, 'fetch').mockImplementation((_address, request) => {
      const { user } = JSON.parse(request?.body as string) as { user: string };
      asked.push(user);
      const value = answer(user, asked.length);
      return Promise.resolve(Response.json({ result: { status: true, value } }));
    });
    return asked;
  }

  const people = (...logins: string[]): Parameters<typeof tokensOf>[0] =>
    logins.map((user) => ({ user, user_realm: 'north', user_resolver: 'people' }));
  const read = (...logins: string[]): Promise<readonly ListedToken[]> =>
    tokensOf(people(...logins))(new AbortController().signal, () => undefined);

  it('are never asked for by a blank login, which would select all tokens', async () => {
    const asked = serve((user) => ({ tokens: [{ serial: user }], next: null }));
    expect(await read('anna', '', ' ', '\t\u00a0')).toEqual([{ serial: 'anna' }]);
    expect(asked).toEqual(['anna']);
    expect(await read(' ')).toEqual([]);
    expect(asked).toEqual(['anna']);
  });

  it('are read no further than one act may have', async () => {
    const asked = serve((_user, page) => ({
      tokens: Array.from({ length: 200 }, (_, number) => ({ serial: `T${page}-${number}` })),
      next: 'more',
    }));
    await expect(read('anna')).rejects.toThrow(TooManyTokens);
    expect(asked).toHaveLength(MAX_BULK / 200 + 1);
  });
});

describe('what an act on tokens would do', () => {
  const rights = { rights: [{ scope: 'admin', action: 'disable', realms: ['north'] }] };
  const token = (serial: string, others: Partial<ListedToken> = {}): ListedToken =>
    ({
      serial,
      owner: { login: 'anna', resolver: 'people' },
      owner_realm: 'north',
      realms: ['north'],
      active: true,
      lost_at: null,
      is_second_factor: false,
      open_challenges: 1,
      ...others,
    }) as ListedToken;

  it('leaves out tokens that are so already, and those without the right', () => {
    const tokens = [
      token('T1'),
      token('T2', { is_second_factor: true, open_challenges: 2 }),
      token('T3', { active: false }),
      token('T4', { realms: ['south'], is_second_factor: true }),
    ];
    expect(foresee('disable', tokens, rights, '')).toEqual({
      serials: ['T1', 'T2'],
      unchanged: 1,
      unready: 0,
      lost: 0,
      forbidden: 1,
      secondFactors: ['T2'],
      open: 3,
      owners: 1,
      leaving: 2,
    });
    expect(foresee('disable', [token('T1', { open_challenges: null })], rights, '').open).toBeNull();
    expect(foresee('enable', tokens, rights, '').serials).toEqual([]);
    const off = [
      token('T1', { active: false }),
      token('T2', { active: false, lost_at: '2026-11-20T12:00:00Z' }),
    ];
    const all = { rights: [{ scope: 'admin', action: 'enable', realms: '*' as const }] };
    expect(foresee('enable', off, all, '')).toMatchObject({ serials: ['T1'], lost: 1 });
  });
});
