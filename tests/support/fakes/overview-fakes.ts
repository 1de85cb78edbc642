import type { Overview } from '../../../src/monitoring/overview/overview.ts';

const SINCE = new Date('2026-11-20T11:01:00Z');
const NUMBERS = { total: 3, active: 2, inactive: 1, assigned: 2, unassigned: 1, locked: 0 };

/** An overview with every part. */
export const FAKE_OVERVIEW: Overview = {
  tokens: { realms: [{ realm: 'a', ...NUMBERS }], summary: NUMBERS },
  activeUsers: { realms: [{ realm: 'a', users: 2 }], total: 2 },
  users: [{ resolver: 'r', realms: ['a'], users: 4, countedAt: SINCE }],
  licence: { kind: 'none' },
  configuration: {
    sync: true,
    changedAt: SINCE,
    values: 4,
    resolvers: { managed: 1, passwd: 2, sql: 3, ldap: 4 },
    policies: 1,
    realms: 1,
  },
  storageEncryption: true,
  resolvers: [{ resolver: 'r', kind: 'ldap', state: 'unavailable', succeededAt: null, failedAt: SINCE }],
  responses: {
    since: SINCE,
    outcomes: { accepted: 2, 'nothing open': 1 },
    p50: 3.5,
    p95: 5,
    minutes: [{ minute: SINCE, outcomes: { accepted: 2, 'nothing open': 1 }, p50: 3.5, p95: 5 }],
  },
};
