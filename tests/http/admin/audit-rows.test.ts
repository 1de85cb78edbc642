import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { errorOf as messageIn, valueOf } from '../../support/application/browser.ts';
import {
  applicationOfTests,
  BoundedAdministrators,
  OPERATOR,
  type Result,
  wrongResponse,
} from '../../support/application/test-application.ts';
import { readExportedTrail } from '../../../src/audit/export-trail.ts';
import { verifyTrail } from '../../../src/audit/verification.ts';
import { deferred } from '../../support/values/until.ts';
import { callerNamed } from '../../support/values/callers.ts';

interface Row {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly realm: string;
  readonly outcome: string;
  readonly transaction_id: string;
}

type Found = Result<{ readonly rows: readonly Row[]; readonly next: string | null }>;

const SUITE = 'OCRA-1:HOTP-SHA256-8:C-QN08';
const DATA = '12345678';

const application = applicationOfTests();
let bounded: BoundedAdministrators;
let transaction: string;

beforeAll(async () => {
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

async function search(parameters: Record<string, string>, as?: string): Promise<Found> {
  return (await bounded.ask('/admin/audit/search', parameters, as)) as Found;
}

async function rows(parameters: Record<string, string>, as?: string): Promise<readonly Row[]> {
  const { value, error } = await search(parameters, as);
  expect(error).toBeUndefined();
  return value?.rows ?? [];
}

describe('/admin/audit/search', () => {
  it('finds the rows of a transaction, newest first', async () => {
    const found = await rows({ transaction_id: transaction });
    expect(found.map(({ outcome, subject }) => `${outcome} ${subject}`)).toEqual([
      'accepted NORTH',
      'wrong NORTH',
      'issued NORTH',
    ]);
    expect(found[0]).toMatchObject({ action: 'ocra/check_t', realm: 'north', transaction_id: transaction });
    expect(Object.keys(found[0] ?? {})).not.toContain('signature');
  });

  it.each<[Record<string, string>, number]>([
    [{ serial: 'NORTH', outcome: 'wrong' }, 1],
    [{ serial: 'NORTH', action: 'ocra/check_t' }, 2],
    [{ action: 'ocra/request', realm: 'south' }, 2],
    [{ outcome: 'issued', since: '1H' }, 3],
    [{ outcome: 'issued', until: '1H' }, 0],
    [{ outcome: 'issued', since: '2999-01-01' }, 0],
    [{ outcome: 'issued', serial: '', since: '' }, 3],
    [{ outcome: 'issued', limit: '2' }, 2],
    [{ serial: 'NORT%' }, 0],
    [{ actor: 'nobody' }, 0],
    [{ outcome: 'issued', client: '127.0.0.1' }, 3],
    [{ client: '192.0.2.9' }, 0],
    [{ request_id: 'another' }, 0],
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
    expect(found.map(({ subject }) => subject)).toEqual(expect.arrayContaining(['NORTH', 'BOTH']));
    expect(JSON.stringify(found)).not.toMatch(/south|SOUTH|NOWHERE/);
    expect(await rows({ serial: 'SOUTH' }, 'north-desk')).toEqual([]);
    expect((await search({ serial: 'SOUTH', limit: '1' }, 'north-desk')).value?.next).toBeNull();
  });

  it('finds the rows of the tokens that a user has', async () => {
    const serials = async (parameters: Record<string, string>, as?: string): Promise<ReadonlySet<string>> =>
      new Set((await rows({ limit: '1000', ...parameters }, as)).map(({ subject }) => subject));
    expect(await serials({ user: 'ann@north' })).toEqual(new Set(['NORTH', 'BOTH']));
    expect(await serials({ user: 'bob@south' })).toEqual(new Set(['SOUTH']));
    expect(await serials({ user: 'ann@north', transaction_id: transaction })).toEqual(new Set(['NORTH']));
    expect(await serials({ user: 'bob@south', transaction_id: transaction })).toEqual(new Set());
    const wrong = await rows({ user: 'ann@north', outcome: 'wrong' });
    expect(wrong.map(({ subject }) => subject)).toEqual(['NORTH']);
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
    [{ since: 'soon' }, /^since must be a date/],
    [{ limit: '0' }, /whole number from 1 to 1000/],
    [{ limit: '1001' }, /whole number from 1 to 1000/],
    [{ limit: '1e2' }, /whole number from 1 to 1000/],
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
});

async function exported(parameters: Record<string, string> = {}, as?: string): Promise<Response> {
  return as === undefined
    ? application.asAdmin('/admin/audit/export', parameters)
    : bounded.post(as, '/admin/audit/export', parameters);
}

function linesOf({ text }: Response): Record<string, unknown>[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function rowsOf(response: Response): Record<string, string>[] {
  return linesOf(response).flatMap(({ row }) => (row === undefined ? [] : [row as Record<string, string>]));
}

/** @returns the error that is answered in place of a file */
async function errorOf(response: Promise<Response>): Promise<string | undefined> {
  const answer = await response;
  expect(answer.headers['content-disposition']).toBeUndefined();
  return messageIn(answer);
}

async function verified(response: Response): Promise<unknown> {
  async function* lines(): AsyncGenerator<string> {
    for (const line of response.text.trimEnd().split('\n')) {
      yield await Promise.resolve(line);
    }
  }
  const { keys, trail } = await readExportedTrail(lines());
  return { isWhole: trail.isWhole, ...(await verifyTrail(trail, { keys, report: () => undefined })) };
}

describe('/admin/audit/export', () => {
  // One by one: each row has a signature of its own.
  beforeAll(async () => {
    for (let number = 0; number < 12; number += 1) {
      await application.challenge('NORTH', DATA);
    }
  });

  it('hands out the whole trail as a file that can be verified, and says so', async () => {
    const response = await exported();
    expect(response.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'x-audit-verifiable': 'yes',
      'cache-control': 'no-store',
    });
    expect(response.headers['content-disposition']).toMatch(
      /^attachment; filename="audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.jsonl"$/,
    );
    expect(await verified(response)).toMatchObject({ isWhole: true, findings: 0 });
    expect(rowsOf(response).length).toBeGreaterThan(25);
  });

  it('hands out a period that can be verified, but for what is missing around it', async () => {
    const response = await exported({ since: '1H' });
    expect(response.headers['x-audit-verifiable']).toBe('yes');
    expect(await verified(response)).toMatchObject({ isWhole: false, findings: 0 });
    expect(rowsOf(await exported({ until: '1H' }))).toEqual([]);
  });

  it('hands out selected rows, newest first, and says that they cannot be verified', async () => {
    const response = await exported({ serial: 'NORTH', outcome: 'issued' });
    expect(response.headers).toMatchObject({ 'x-audit-verifiable': 'no' });
    expect(response.headers['content-disposition']).toContain('filename="audit-extract-');
    const [head, ...others] = linesOf(response);
    expect(head).toMatchObject({
      form: 'tankeeper audit extract 1',
      verifiable: false,
      filter: { subject: 'NORTH', outcome: 'issued' },
      realms: null,
    });
    expect(others.at(-1)).toEqual({ end: { rows: 13 } });
    const rows = rowsOf(response);
    const told = new Set(rows.map(({ outcome, subject }) => `${outcome} ${subject}`));
    expect(told).toEqual(new Set(['issued NORTH']));
    const ids = rows.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((left, right) => right - left));
    expect(Object.keys(rows[0] ?? {})).not.toContain('signature');
    await expect(verified(response)).rejects.toThrow(/is an extract of an audit trail/);
  });

  it('hands out CSV without formulas', async () => {
    await application.enrolPlain('-1+1', SUITE);
    const response = await exported({ format: 'csv', since: '1H' });
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(response.headers['x-audit-verifiable']).toBe('no');
    const lines = response.text.trimEnd().split('\r\n');
    expect(lines[0]).toBe('id,at,actor,action,subject,realm,outcome,client,requestId,transaction');
    expect(lines.some((line) => line.includes(",'-1+1,"))).toBe(true);
    expect(response.text).not.toMatch(/(?:^|,)[=+\-@]/m);
  });

  it('hands a bound administrator rows of their realms alone, with no other name', async () => {
    for (const format of ['jsonl', 'csv']) {
      const response = await exported({ format }, 'north-desk');
      expect(response.headers['x-audit-verifiable']).toBe('no');
      expect(response.text).toContain('BOTH');
      expect(response.text).not.toMatch(/south|SOUTH|signature/);
    }
    const [head] = linesOf(await exported({}, 'north-desk'));
    expect(head).toMatchObject({ verifiable: false, realms: ['north'] });
    expect(rowsOf(await exported({ serial: 'SOUTH' }, 'north-desk'))).toEqual([]);
    expect(await errorOf(exported({ realm: 'south' }, 'north-desk'))).toBe("There is no realm 'south'");
  });

  it('is recorded with the names of its filters, not with their values', async () => {
    await exported({ format: 'csv', serial: 'secret?', client: '192.0.2.7' });
    const [row] = rowsOf(await exported({ action: 'audit/export', until: '2999-01-01' })).slice(1);
    expect(row).toMatchObject({
      actor: 'admin',
      outcome: 'handed out as csv, selected by client and subject',
    });
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ format: 'xml' }, /^The format must be jsonl or csv$/],
    [{ since: 'soon' }, /^since must be a date/],
  ])('refuses %j with an answer as any other', async (parameters, message) => {
    expect(await errorOf(exported(parameters))).toMatch(message);
  });

  it('refuses a third one of an administrator at once, not those of others, and goes on when one has ended', async () => {
    const taken = deferred<undefined>();
    const slow = await application.services.auditReading.grantExport(callerNamed('admin'), { format: 'csv' });
    const running = [1, 2].map(() => slow.write(() => taken.promise));
    expect(await errorOf(exported())).toMatch(/Too many exports/);
    expect((await exported()).headers['retry-after']).toBe('10');
    expect((await exported({}, 'north-desk')).status).toBe(200);
    taken.resolve(undefined);
    await Promise.all(running);
    expect((await exported()).headers['x-audit-verifiable']).toBe('yes');
  });

  it('ends the work at the next piece when the client has left', async () => {
    const granted = await application.services.auditReading.grantExport(OPERATOR, { format: 'jsonl' });
    let pieces = 0;
    const left = granted.write(() => {
      pieces += 1;
      return pieces < 2 ? Promise.resolve() : Promise.reject(new Error('left'));
    });
    await expect(left).rejects.toThrow('left');
    expect(pieces).toBe(2);
  });

  it('hands out more rows than one step reads, each once', async () => {
    await application.services.settings.set(
      OPERATOR,
      new Map(Array.from({ length: 2_500 }, (_, number) => [`many.${number}`, 'x'])),
    );
    const rows = rowsOf(await exported({ action: 'configuration/set' }));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2_500);
    expect(rows).toHaveLength(2_500);
    expect(await verified(await exported())).toMatchObject({ isWhole: true, findings: 0 });
  });
});

describe('/admin/audit/values', () => {
  it('tells the values that filters know', async () => {
    const answer = await application.asAdmin('/admin/audit/values', {});
    const { actions, outcomes } = valueOf(answer) as { actions: string[]; outcomes: string[] };
    expect(actions).toContain('ocra/check_t');
    expect(outcomes).toContain('accepted');
    for (const outcome of outcomes) {
      expect((await search({ outcome, limit: '1' })).error).toBeUndefined();
    }
    expect(await errorOf(bounded.post('clerk', '/admin/audit/values', {}))).toMatch(/action=audit$/);
  });

  it('finds the rows of an outcome whatever details follow it', async () => {
    expect(await rows({ outcome: 'handed', limit: '1' })).toHaveLength(1);
  });
});
