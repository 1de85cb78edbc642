import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Services } from '../../../src/services.ts';
import { campaignSeed, isLong } from '../../support/campaign.ts';
import { SqlTap, type SqlTapping } from '../../support/database/sql-tap.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { anyInterleavedRun, anySequentialRun, runInterleaved, runSequential } from './random-run.ts';
import { TwoServers } from './two-servers.ts';

/**
 * Runs within which a fault must be found, or the model cannot see it. Most are found within ten; a challenge too many
 * shows in one of some 200.
 */
const RUNS = 2_000;
const TIMEOUT_MS = RUNS * 2_000;
const SEED = campaignSeed(5);
/** The long form tests all of them, which takes minutes; the short one these, one of each kind. */
const USUAL = [
  'a wrong response is not counted',
  'one challenge too many stays open',
  'a disabled token answers',
  'a response is looked at twice',
  'a decision is applied to whatever the token is by now',
];

/** A fault of the server. */
interface Fault {
  /** A change of the database. */
  readonly sql?: string;
  /** A change of its statements. */
  readonly text?: SqlTapping['text'];
  /** A change of its services. */
  readonly spoil?: (services: Services) => Services;
}

/** Makes `change` to a row of `table` before it is written if `when` holds. */
function spoiled(table: 'tokens' | 'challenges', when: string, change: string, event = 'UPDATE'): Fault {
  return {
    sql: `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF ${when} THEN ${change}; END IF; RETURN NEW; END $$;
      CREATE TRIGGER a_spoil BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION spoil()`,
  };
}

/** Replaces `from` by `to` in statements that read a challenge to answer it. */
function lookedUp(from: string, to: string): Fault {
  return {
    text: (text) =>
      /challenges"?\."?transaction_id"? = (?:\$1|requested\.key)/.test(text) ? text.replace(from, to) : text,
  };
}

const replaced = (from: string | RegExp, to: string): Fault => ({ text: (text) => text.replace(from, to) });

const FAULTS: Readonly<Record<string, Fault>> = {
  'a wrong response is not counted': spoiled(
    'tokens',
    'NEW.fail_count = OLD.fail_count + 1',
    'NEW.fail_count := OLD.fail_count',
  ),
  'a token locks one wrong response too late': lookedUp(
    '"tokens"."max_fail"',
    '"tokens"."max_fail" + 1 AS max_fail',
  ),
  'what was accepted is forgotten': spoiled(
    'tokens',
    "NEW.replay_markers <> '{}'",
    "NEW.replay_markers := '{}'",
  ),
  'one challenge too many stays open': replaced(
    /OFFSET (\$3|request\.max_open - 1) LIMIT 1/,
    'OFFSET $1 + 1 LIMIT 1',
  ),
  'wrong responses never close a challenge': spoiled(
    'challenges',
    "NEW.closed_by = 'exhausted'",
    'NEW.closed_by := NULL; NEW.closed_at := NULL',
  ),
  'a challenge expires a second too late': spoiled(
    'challenges',
    'true',
    "NEW.open_until := NEW.open_until + interval '1 second'",
    'INSERT',
  ),
  'a clock that has been found ahead is not followed': spoiled(
    'tokens',
    'NEW.time_shift <> OLD.time_shift AND NEW.seed = OLD.seed',
    'NEW.time_shift := OLD.time_shift',
  ),
  'a disabled token answers': lookedUp('"tokens"."active"', 'true AS active'),
  'a response is looked at twice': {
    spoil: (services) => ({
      ...services,
      ocra: Object.assign(Object.create(services.ocra) as Services['ocra'], {
        checkTransaction: async (...given: Parameters<Services['ocra']['checkTransaction']>) => {
          const first = await services.ocra.checkTransaction(...given);
          return first.result ? first : services.ocra.checkTransaction(...given);
        },
        requestChallenge: services.ocra.requestChallenge.bind(services.ocra),
        status: services.ocra.status.bind(services.ocra),
      }),
    }),
  },
};

const RACES: Readonly<Record<string, Fault>> = {
  'a decision is applied to whatever the token is by now': replaced(
    /(?:tokens\.)?version = (request\.version|\$\d+)/g,
    '$1::bigint > 0',
  ),
  'the second look does not wait for the lock': replaced(/ for no key update$/, ''),
};

let servers: TwoServers;

afterEach(() => servers.close());

function chosen(faults: Readonly<Record<string, Fault>>): (readonly [string, Fault])[] {
  return Object.entries(faults).filter(([title]) => isLong || USUAL.includes(title));
}

async function found<Values>({ sql, spoil }: Fault, property: fc.IAsyncProperty<Values>): Promise<string> {
  servers = await TwoServers.open(spoil === undefined ? {} : { spoil });
  if (sql !== undefined) {
    await queryOnce(servers.databaseUrl, sql);
  }
  const result = await fc.check(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
  return result.failed ? String(result.errorInstance) : 'nothing';
}

describe(`the model finds out, by what clients are told alone (seed ${SEED}), when`, () => {
  it.each(chosen(FAULTS))(
    '%s',
    async (_title, fault) => {
      const tap = new SqlTap(fault.text === undefined ? {} : { text: fault.text });
      const property = fc.asyncProperty(anySequentialRun, (run) =>
        runSequential(servers, run, { rows: false }),
      );
      try {
        expect(await found(fault, property)).toMatch(/was answered/);
      } finally {
        tap.close();
      }
    },
    TIMEOUT_MS,
  );
});

describe(`the search for an order finds out (seed ${SEED}) when`, () => {
  it.each(chosen(RACES))(
    '%s',
    async (_title, fault) => {
      const spoiling = fault.text === undefined ? {} : { text: fault.text };
      const property = fc.asyncProperty(anyInterleavedRun, (run) => runInterleaved(servers, run, spoiling));
      expect(await found(fault, property)).toMatch(/the model says|strange answer/);
    },
    TIMEOUT_MS,
  );
});
