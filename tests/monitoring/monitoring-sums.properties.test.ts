import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { reportActiveUsers, reportTokens, tallyTokens } from '../../src/monitoring/reports.ts';
import { NO_REALM, parseStatuses } from '../../src/monitoring/monitoring-query.ts';

const REALMS = ['north', 'south', 'west'];
const RESOLVERS = ['people', 'staff'];

const count = fc.nat({ max: 1000 });
const snapshot = fc.record({
  tokens: fc.array(
    fc.record({ realms: fc.subarray(REALMS), active: fc.boolean(), assigned: fc.boolean(), tokens: count }),
  ),
  activeUsers: fc.array(
    fc
      .record({
        resolver: fc.constantFrom(...RESOLVERS),
        realms: fc.subarray(REALMS),
        inNoRealm: fc.boolean(),
        users: count,
      })
      .map((row) => ({ ...row, inNoRealm: row.inNoRealm || row.realms.length === 0 })),
  ),
});
const choice = fc.shuffledSubarray([...REALMS, NO_REALM]);

describe('for any counts and any choice of realms', () => {
  it('assigned and unassigned, active and inactive, and all four combinations add up to the total', () => {
    const pairs = ['assigned', 'unassigned'].flatMap((one) =>
      ['active', 'inactive'].map((two) => `${one}&${two}`),
    );
    const statuses = parseStatuses(['assigned', 'unassigned', 'active', 'inactive', ...pairs].join(','));
    fc.assert(
      fc.property(snapshot, choice, (counts, chosen) => {
        const { realms, summary } = reportTokens(tallyTokens(counts, chosen), chosen, statuses);
        for (const columns of [summary, ...realms.map((realm) => realm.counts)]) {
          const [total = 0, , assigned = 0, unassigned = 0, active = 0, inactive = 0, ...combined] =
            columns.map((column) => column.count);
          expect([assigned + unassigned, active + inactive, combined.reduce((sum, n) => sum + n, 0)]).toEqual(
            [total, total, total],
          );
        }
      }),
    );
  });

  it('the summary is at least the largest realm, at most the sum of all, and the same in any order', () => {
    fc.assert(
      fc.property(snapshot, choice, (counts, chosen) => {
        const { realms, summary } = reportTokens(tallyTokens(counts, chosen), chosen, []);
        summary.forEach(({ count: overall }, column) => {
          const numbers = realms.map((realm) => realm.counts[column]?.count ?? 0);
          expect(overall).toBeGreaterThanOrEqual(Math.max(0, ...numbers));
          expect(overall).toBeLessThanOrEqual(numbers.reduce((sum, n) => sum + n, 0));
        });
        expect(
          reportTokens(tallyTokens(counts, chosen.toReversed()), chosen.toReversed(), []).summary,
        ).toEqual(summary);
      }),
    );
  });

  it('the total of active users equals the total users of the token counts', () => {
    const realms = REALMS.map((name, index) => ({
      id: String(index),
      name,
      isDefault: false,
      resolvers: RESOLVERS,
    }));
    fc.assert(
      fc.property(snapshot, choice, (counts, chosen) => {
        const report = reportActiveUsers(counts.activeUsers, chosen, realms);
        const tokens = reportTokens(tallyTokens(counts, chosen), chosen, []);
        const usersOf = ({ resolvers }: (typeof report.realms)[number]): number =>
          resolvers.reduce((sum, { users }) => sum + users, 0);
        expect(report.realms.map((realm) => [realm.realm, usersOf(realm)])).toEqual(
          tokens.realms.map(({ realm, counts: [, users] }) => [realm, users?.count]),
        );
        expect(report.total).toBe(tokens.summary[1]?.count);
      }),
    );
  });
});
