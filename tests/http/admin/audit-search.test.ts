import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isKnownOutcome } from '../../../src/audit/filter-values.ts';
import { BoundedAdministrators } from '../../support/application/bounded-administrators.ts';
import { OPERATOR, TestApplication, wrongResponse } from '../../support/application/test-application.ts';

interface Row {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly serial: string;
  readonly realm: string;
  readonly outcome: string;
  readonly transactionid: string;
}

interface Found {
  readonly value?: { readonly rows: readonly Row[]; readonly next: string | null };
  readonly error?: { readonly code: number; readonly message: string };
}

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';

let application: TestApplication;
let bounded: BoundedAdministrators;
let transaction: string;

beforeAll(async () => {
  application = await TestApplication.open();
  application.clock.set(new Date());
  await application.addRealm('north', ['ann']);
  await application.addRealm('south', ['bob']);
  bounded = await BoundedAdministrators.of(application);
  await bounded.add('north-desk', 'audit', 'north');
  await bounded.add('north-both', 'audit, show', 'north');
  await bounded.add('clerk', 'show', 'north');
  await application.enrolPlain('NORTH', SUITE, { user: 'ann', realm: 'north' });
  await application.enrolPlain('SOUTH', SUITE, { user: 'bob', realm: 'south' });
  await application.enrolPlain('NOWHERE', SUITE);
  await application.enrolPlain('BOTH', SUITE, { user: 'ann', realm: 'north' });
  await application.services.tokens.setRealms(OPERATOR, { serial: 'BOTH', realms: ['north', 'south'] });
  ({ transactionid: transaction } = await application.challenge('NORTH', DATA));
  const right = application.respond(SUITE, DATA);
  await application.check(transaction, wrongResponse(right));
  await application.check(transaction, right);
  await application.challenge('SOUTH', DATA);
  await application.challenge('BOTH', DATA);
});
afterAll(() => application.close());

async function search(parameters: Record<string, string>, as?: string): Promise<Found> {
  const answer =
    as === undefined
      ? await application.asAdmin('/audit/search', parameters, 'get')
      : await bounded.get(as, '/audit/search', parameters);
  return (answer.body as { result: Found }).result;
}

async function rows(parameters: Record<string, string>, as?: string): Promise<readonly Row[]> {
  const { value, error } = await search(parameters, as);
  expect(error).toBeUndefined();
  return value?.rows ?? [];
}

describe('/audit/search', () => {
  it('finds the rows of a transaction, newest first', async () => {
    const found = await rows({ transactionid: transaction });
    expect(found.map(({ outcome, serial }) => `${outcome} ${serial}`)).toEqual([
      'accepted NORTH',
      'wrong NORTH',
      'issued NORTH',
    ]);
    expect(found[0]).toMatchObject({ action: 'ocra/check_t', realm: 'north', transactionid: transaction });
    expect(Object.keys(found[0] ?? {})).not.toContain('signature');
  });

  it.each<[Record<string, string>, number]>([
    [{ serial: 'NORTH', outcome: 'wrong' }, 1],
    [{ serial: 'NORTH', action: 'ocra/check_t' }, 2],
    [{ action: 'ocra/request', realm: 'south' }, 2],
    [{ outcome: 'issued', since: '1H' }, 3],
    [{ outcome: 'issued', until: '1H' }, 0],
    [{ outcome: 'issued', since: '2999-01-01' }, 0],
    [{ outcome: 'issued', serial: '', limit: '', since: '' }, 3],
    [{ serial: 'NORT%' }, 0],
    [{ actor: 'nobody' }, 0],
  ])('takes the filters of the command: %j', async (parameters, count) => {
    expect(await rows(parameters)).toHaveLength(count);
  });

  it('pages by a cursor, each row once, without an end that is none', async () => {
    const all = await rows({ limit: '1000' });
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { value }: Found = await search({ limit: '7', ...(cursor !== '' && { cursor }) });
      ids.push(...(value?.rows.map(({ id }) => id) ?? []));
      cursor = value?.next ?? null;
    }
    expect(ids).toEqual(all.map(({ id }) => id));
    expect(all.length).toBeGreaterThan(20);
    expect((await search({ limit: String(all.length) })).value?.next).toBeNull();
  });

  it('shows a bound administrator rows of their realms, and no other name', async () => {
    const found = await rows({ limit: '1000' }, 'north-desk');
    expect(new Set(found.map(({ realm }) => realm))).toEqual(new Set(['north']));
    expect(found.map(({ serial }) => serial)).toEqual(expect.arrayContaining(['NORTH', 'BOTH']));
    expect(JSON.stringify(found)).not.toMatch(/south|SOUTH|NOWHERE/);
    expect(await rows({ serial: 'SOUTH' }, 'north-desk')).toEqual([]);
    expect((await search({ serial: 'SOUTH', limit: '1' }, 'north-desk')).value?.next).toBeNull();
  });

  it('finds the rows of the tokens that a user has', async () => {
    const serials = async (parameters: Record<string, string>, as?: string): Promise<ReadonlySet<string>> =>
      new Set((await rows({ limit: '1000', ...parameters }, as)).map(({ serial }) => serial));
    expect(await serials({ user: 'ann@north' })).toEqual(new Set(['NORTH', 'BOTH']));
    expect(await serials({ user: 'bob@south' })).toEqual(new Set(['SOUTH']));
    expect(await serials({ user: 'ann@north', transactionid: transaction })).toEqual(new Set(['NORTH']));
    expect(await serials({ user: 'bob@south', transactionid: transaction })).toEqual(new Set());
    expect((await rows({ user: 'ann@north', outcome: 'wrong' })).map(({ serial }) => serial)).toEqual([
      'NORTH',
    ]);
    expect(await serials({ user: 'ann@north' }, 'north-both')).toEqual(new Set(['NORTH', 'BOTH']));
  });

  it('tells a user of other realms, and one that is not there, apart for nobody', async () => {
    const foreign = await search({ user: 'bob@south' }, 'north-both');
    const unknown = await search({ user: 'zoe@south' }, 'north-both');
    expect(foreign.error?.message.replace('bob', 'zoe')).toBe(unknown.error?.message);
    expect((await search({ user: 'ann@north' }, 'north-desk')).error?.message).toMatch(/action=show$/);
  });

  it('knows a bound administrator’s realms alone: a foreign one is as unknown as one that is not there', async () => {
    for (const realm of ['south', 'nowhere']) {
      expect((await search({ realm }, 'north-desk')).error?.message).toBe(`There is no realm '${realm}'`);
    }
    expect(await rows({ realm: 'north', serial: 'NORTH' }, 'north-desk')).toHaveLength(4);
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ outcome: 'wrongg' }, /^There is no outcome 'wrongg' in the audit: did you mean wrong\?$/],
    [{ action: 'ocra/chek' }, /^There is no action 'ocra\/chek' in the audit: did you mean ocra\/check_t\?$/],
    [{ since: 'soon' }, /^since must be a date/],
    [{ limit: '0' }, /^The limit must be/],
    [{ limit: '1001' }, /^The limit must be/],
    [{ limit: '1e2' }, /^The limit must be/],
    [{ cursor: "x' OR 1=1" }, /^The cursor is none of this search$/],
    [{ cursor: '2026-99-99T00:00:00.000000Z,1' }, /^The cursor is none of this search$/],
    [{ cursor: '2026-02-31T00:00:00.000000Z,1' }, /^The cursor is none of this search$/],
  ])('refuses %j', async (parameters, message) => {
    expect((await search(parameters)).error?.message).toMatch(message);
  });

  it('takes the right audit, and writes no row', async () => {
    expect((await search({}, 'clerk')).error?.message).toMatch(/scope=admin, action=audit$/);
    const [newest] = await rows({ limit: '1' });
    expect(newest?.outcome).toBe('refused: no right admin:audit');
    expect(await rows({ limit: '1' })).toEqual([newest]);
  });

  it('finds only outcomes that the filter knows', async () => {
    const outcomes = (await rows({ limit: '1000' })).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => !isKnownOutcome(outcome))).toEqual([]);
  });
});
