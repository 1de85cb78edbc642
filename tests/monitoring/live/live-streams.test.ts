import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type LiveEnd,
  type LiveReader,
  type LiveSnapshot,
  LiveStreams,
} from '../../../src/monitoring/live/live-streams.ts';
import type { OverviewFacts } from '../../../src/monitoring/overview/overview-service.ts';
import type { OverviewRights } from '../../../src/monitoring/overview/overview-rights.ts';
import type { OpenSession } from '../../../src/administrators/session.ts';
import { callerNamed } from '../../support/values/callers.ts';
import { FAKE_OVERVIEW } from '../../support/fakes/overview-fakes.ts';
import { until } from '../../support/values/until.ts';

const sessionOf = (administrator: string): OpenSession => ({ administrator, expiresAt: new Date() });

/** Milliseconds. */
const TICK = 20;
/** A tick that no test sees the end of. */
const LONG = 600_000;

class FakeReader implements LiveReader {
  isReady = true;
  readonly shown: LiveSnapshot[] = [];
  readonly heard: string[] = [];
  ended: LiveEnd | undefined;
  show(snapshot: LiveSnapshot): void {
    this.shown.push(snapshot);
    this.heard.push('overview');
  }
  unavailable(): void {
    this.heard.push('unavailable');
  }
  heartbeat(): void {
    this.heard.push('heartbeat');
  }
  end(end: LiveEnd): void {
    this.ended = end;
  }
}

let looks: number;
let showings: number;
let searches: number;
let total: number;
let fault: Error | undefined;
/** Undefined: a look ends at once. */
let looking: Promise<OverviewFacts> | undefined;
let search: () => Promise<OpenSession | undefined>;
let counts: number[];
let streams: LiveStreams;

function begin(options: { tick?: number; beat?: number; timeoutMs?: number } = {}): void {
  streams = new LiveStreams({
    overview: {
      facts: () => {
        looks += 1;
        return fault === undefined
          ? (looking ?? Promise.resolve({} as OverviewFacts))
          : Promise.reject(fault);
      },
      presentRights: ({ principal }) =>
        Promise.resolve({ tokens: [principal.administrator.slice(0, 1)] } as unknown as OverviewRights),
      show: () => {
        showings += 1;
        return { ...FAKE_OVERVIEW, activeUsers: { realms: [], total } };
      },
    },
    sessions: {
      findLogin: () => {
        searches += 1;
        return search();
      },
    },
    metrics: { streamsAre: (count) => counts.push(count) },
    tick: TICK,
    beat: 1_000_000,
    ...options,
  });
}

beforeEach(() => {
  [looks, showings, searches, total, fault, counts] = [0, 0, 0, 0, undefined, []];
  looking = undefined;
  search = () => Promise.resolve(sessionOf('anna'));
  begin();
});
afterEach(() => streams.end());

function open(name = 'anna'): FakeReader {
  const reader = new FakeReader();
  streams.open({ caller: callerNamed(name), session: 'secret' }, reader);
  return reader;
}

describe('streams', () => {
  it('of the same rights share the reading and the snapshot', async () => {
    begin({ tick: LONG });
    const readers = Array.from({ length: 50 }, () => open());
    await until(() => readers.every(({ shown }) => shown.length === 1));
    expect([looks, showings]).toEqual([1, 1]);
    expect(new Set(readers.map(({ shown }) => shown[0])).size).toBe(1);
  });

  it('wait for a reading that is under way, however many clients come and go', async () => {
    let answer: (facts: OverviewFacts) => void = () => undefined;
    looking = new Promise((resolve) => (answer = resolve));
    const readers: FakeReader[] = [];
    for (let searched = 1; searched <= 5; searched += 1) {
      readers.push(open());
      await until(() => searches >= searched);
      await sleep(TICK);
    }
    expect(looks).toBe(1);
    answer({} as OverviewFacts);
    await until(() => readers.every(({ shown }) => shown.length === 1));
    await until(() => looks > 1);
  });

  it('of other rights have another snapshot of the same look', async () => {
    begin({ tick: LONG });
    search = () => Promise.resolve(sessionOf(searches % 2 === 1 ? 'anna' : 'bert'));
    const readers = [open('anna'), open('bert')];
    await until(() => readers.every(({ shown }) => shown.length === 1));
    expect([looks, showings]).toEqual([1, 2]);
  });

  it('send what has changed only', async () => {
    const reader = open();
    await until(() => looks >= 4);
    expect(reader.shown).toHaveLength(1);
    total = 7;
    await until(() => reader.shown.length === 2);
    expect(reader.shown[1]?.overview.activeUsers).toHaveProperty('total', 7);
  });

  it('drop snapshots while the reader is not ready, and then send the present one', async () => {
    const reader = open();
    await until(() => reader.shown.length === 1);
    reader.isReady = false;
    for (total = 1; total < 5; total += 1) {
      const before = looks;
      await until(() => looks > before + 1);
    }
    expect(reader.shown).toHaveLength(1);
    reader.isReady = true;
    await until(() => reader.shown.length === 2);
    expect(reader.shown[1]?.overview.activeUsers).toHaveProperty('total', 5);
  });

  it('end where the reader takes nothing for too long', async () => {
    begin({ timeoutMs: 60 });
    const reader = open();
    await until(() => reader.shown.length === 1);
    reader.isReady = false;
    await until(() => reader.ended !== undefined);
    expect([reader.ended, counts.at(-1)]).toEqual(['stalled', 0]);
  });

  it('end when the login is over, or is of somebody else', async () => {
    const reader = open();
    const other = open('bert');
    await until(() => other.ended !== undefined);
    expect([reader.ended, other.ended, other.shown]).toEqual([undefined, 'signed out', []]);
    search = () => Promise.resolve(undefined);
    await until(() => reader.ended !== undefined);
    expect(reader.ended).toBe('signed out');
  });

  it('tell once that the state cannot be read, and then send it even without a change', async () => {
    const reader = open();
    await until(() => reader.shown.length === 1);
    fault = new Error('away');
    const before = looks;
    await until(() => looks > before + 3);
    expect(reader.heard).toEqual(['overview', 'unavailable']);
    fault = undefined;
    await until(() => reader.shown.length === 2);
    expect(reader.shown[1]?.id).toBe(reader.shown[0]?.id);
  });

  it('beat while the database hangs, which is asked once', async () => {
    begin({ beat: 1 });
    search = () => new Promise(() => undefined);
    const reader = open();
    await until(() => reader.heard.length > 3);
    expect([new Set(reader.heard), searches]).toEqual([new Set(['heartbeat']), 1]);
  });

  it('end at once with the server, and later ones as well', async () => {
    const reader = open();
    const ending = streams.end();
    expect([reader.ended, open().ended]).toEqual(['stopping', 'stopping']);
    await ending;
  });
});
