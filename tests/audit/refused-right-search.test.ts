import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { AuditRow } from '../../src/audit/audit-row.ts';
import type { AuditPage, AuditPageRequest } from '../../src/audit/audit-reading.ts';
import { RefusedRightSearch } from '../../src/audit/explanation-service.ts';
import { AccessControl } from '../../src/policy/access-control.ts';
import { callerNamed } from '../support/values/callers.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const REFUSED = {
  at: '2026-11-20T11:50:00.000000Z',
  actor: 'anna',
  action: 'admin/init',
  realm: '',
  client: '',
  outcome: 'refused: no right admin:init',
  requestId: 'one',
} as AuditRow;
const CALLER = callerNamed('anna');

function searchIn(page: (request: AuditPageRequest) => AuditPage): RefusedRightSearch {
  const clock = { now: () => NOW };
  return new RefusedRightSearch(
    {
      audit: { page: (_caller, request) => Promise.resolve(page(request)) },
      access: new AccessControl({ clock }),
      configuration: { current: () => Promise.resolve({ policies: [], realms: [], resolvers: [] }) },
    },
    CALLER,
  );
}

/** @returns a trail whose rows are on the page with this number, from 0, of a search without end */
const onPage =
  (number: number, row: AuditRow) =>
  ({ cursor = '0' }: AuditPageRequest): AuditPage => ({
    rows: cursor === String(number) ? [row] : [],
    next: String(Number(cursor) + 1),
  });

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a refusal', () => {
  it('is found on a later page, where the first parts of the trail have no row of it', async () => {
    expect((await searchIn(onPage(7, REFUSED)).find('one'))?.endpoint).toBe('admin/init');
  });

  it('too far back is not taken for none', async () => {
    const refused = { code: 'parameter.invalid', message: expect.stringContaining('too long') };
    await expect(searchIn(onPage(99, REFUSED)).find('one')).rejects.toMatchObject(refused);
  });
});

describe('an explanation', () => {
  const endless = (): AuditPage => ({ rows: [], next: 'on' });

  it('reads a bounded number of pages in all its searches', async () => {
    let pages = 0;
    const reading = searchIn(({ requestId }) => {
      pages += 1;
      // The refusal is far back; changes of policies are nowhere.
      return requestId !== undefined && pages > 70 ? { rows: [REFUSED], next: null } : endless();
    });
    expect((await reading.find('one'))?.endpoint).toBe('admin/init');
    await expect(reading.policyChangesSince(NOW)).rejects.toMatchObject({
      code: 'parameter.invalid',
      message: expect.stringContaining('too long'),
    });
    expect(pages).toBe(80);
  });

  it('ends after a bounded time in all its searches, for good, as a second one would take as long', async () => {
    let time = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => time);
    let pages = 0;
    const reading = searchIn(() => {
      pages += 1;
      time += 6_001;
      return endless();
    });
    await expect(reading.find('one')).rejects.toMatchObject({
      code: 'parameter.invalid',
      message: expect.stringContaining('takes too long'),
    });
    expect(pages).toBe(5);
  });
});
