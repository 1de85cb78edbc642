import { beforeEach, describe, expect, it } from '@jest/globals';
import { countOf, Observations } from '../../src/monitoring/observations.ts';
import type { Observed } from '../../src/monitoring/observation-store.ts';

let now: Date;
let written: Observed[];
let fault: Error | undefined;
let observations: Observations;

beforeEach(() => {
  [now, written, fault] = [new Date('2026-11-20T12:00:59.999Z'), [], undefined];
  observations = new Observations({
    clock: { now: () => now },
    store: {
      add: (seen) => {
        written.push(seen);
        return fault === undefined ? Promise.resolve() : Promise.reject(fault);
      },
    },
  });
});

describe('observations', () => {
  it('are written by minute and outcome, and once only', async () => {
    observations.responseEnded('accepted', 3);
    observations.responseEnded('accepted', 30_000);
    observations.responseEnded('wrong', 3);
    now = new Date('2026-11-20T12:01:00.000Z');
    observations.responseEnded('accepted', 3);
    await observations.flush();
    expect(
      written[0]?.responses.map(({ minute, outcome, durations }) => [
        minute.toISOString(),
        outcome,
        countOf(durations),
      ]),
    ).toEqual([
      ['2026-11-20T12:00:00.000Z', 'accepted', 2],
      ['2026-11-20T12:00:00.000Z', 'wrong', 1],
      ['2026-11-20T12:01:00.000Z', 'accepted', 1],
    ]);
    await observations.flush();
    expect(written).toHaveLength(1);
  });

  it('have the last uses of a resolver', async () => {
    const first = now;
    observations.resolverUsed('ldap', false);
    observations.resolverUsed('sql', true);
    now = new Date('2026-11-20T12:01:00.000Z');
    observations.resolverUsed('ldap', true);
    await observations.flush();
    expect(written[0]?.resolvers).toEqual([
      { resolver: 'ldap', failedAt: first, succeededAt: now },
      { resolver: 'sql', succeededAt: first },
    ]);
  });

  it('that cannot be written are lost, and later ones are not', async () => {
    observations.responseEnded('accepted', 3);
    fault = new Error('away');
    await expect(observations.flush()).rejects.toThrow('away');
    fault = undefined;
    observations.responseEnded('wrong', 3);
    await observations.flush();
    expect(written[1]?.responses.map(({ outcome }) => outcome)).toEqual(['wrong']);
  });
});
