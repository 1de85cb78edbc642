import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { computeResponse } from '../../../src/ocra/compute.ts';
import { parseAlgorithm } from '../../../src/ocra/otp.ts';
import { shortOrLong } from '../../support/campaign.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { ServerClient } from '../../support/servers/server-client.ts';
import type { ServerProcess } from '../../support/servers/server-process.ts';
import { ServerFleet } from './server-fleet.ts';

const ROUNDS = shortOrLong(8, 40);
const TIMEOUT_MS = 60_000 + ROUNDS * 5_000;
/** By the serials of the tokens, which are their types, too. */
const KEYS = { hmac: '31'.repeat(20), totp: '32'.repeat(20) };
const STEP = 30;
/** Every way to send a pass, by user or by serial. */
const WAYS: readonly (readonly [method: 'GET' | 'POST', path: string])[] = [
  ['POST', '/validate/check'],
  ['GET', '/validate/check'],
  ['POST', '/validate/check_s'],
  ['POST', '/validate/simplecheck'],
  ['POST', '/validate/samlcheck'],
  ['GET', '/validate/samlcheck'],
];
/** In the forms of all these paths. */
const ACCEPTANCE = /^:-\)|"value": ?true|"auth": ?true/;

interface StoredToken {
  readonly counter: number;
  readonly time_shift: number;
  readonly accepted: number;
}

let fleet: ServerFleet;

afterAll(async () => {
  expect(await fleet.stop()).toEqual([0, 0, 0]);
});
const folder = temporaryFolder();
const database = databaseOfTests();

beforeAll(async () => {
  fleet = await ServerFleet.ofThree({ DATABASE_URL: database.url, DATA_DIR: folder });
  const [first] = fleet.servers as [ServerProcess];
  const admin = await ServerClient.open(first);
  const ask = async (path: string, parameters: Record<string, string>): Promise<void> => {
    const { body } = await admin.post(path, parameters);
    expect(body.result?.status).toBe(true);
  };
  await ask('/system/setResolver', { name: 'people', type: 'managed' });
  await ask('/system/setRealm', { realm: 'staff', resolvers: 'people' });
  await ask('/admin/user/add', { resolver: 'people', login: 'anna' });
  for (const [type, otpkey] of Object.entries(KEYS)) {
    const owner = { user: 'anna', realm: 'staff' };
    await ask('/admin/init', { type, serial: type, otpkey, otplen: '8', ...owner });
    await ask('/admin/set', { serial: type, MaxFailCount: '1000000' });
  }
}, TIMEOUT_MS);

/** @returns true if the pass was accepted */
async function send(
  baseUrl: string,
  [method, path]: (typeof WAYS)[number],
  serial: string,
  pass: string,
): Promise<boolean> {
  const whose = path === '/validate/check_s' ? { serial } : { user: 'anna', realm: 'staff' };
  const parameters = new URLSearchParams({ ...whose, pass });
  const response =
    method === 'GET'
      ? await fetch(`${baseUrl}${path}?${parameters.toString()}`)
      : await fetch(`${baseUrl}${path}`, { method, body: parameters });
  expect(response.status).toBe(200);
  return ACCEPTANCE.test(await response.text());
}

/** Replays passes of the two tokens by all ways at all servers, all at once. @returns the acceptances of each */
async function race(passes: Readonly<Record<keyof typeof KEYS, string>>): Promise<Record<string, number>> {
  const sent = Object.entries(passes).flatMap(([serial, pass]) =>
    fleet.servers.flatMap(({ baseUrl }) =>
      WAYS.map(async (way) => ((await send(baseUrl, way, serial, pass)) ? [serial] : [])),
    ),
  );
  const accepted = (await Promise.all(sent)).flat();
  const countOf = (serial: string): number => accepted.filter((one) => one === serial).length;
  return Object.fromEntries(Object.keys(passes).map((serial) => [serial, countOf(serial)]));
}

function stored(): Promise<StoredToken[]> {
  return database.rows<StoredToken & Record<string, number>>(
    `SELECT counter::integer, time_shift,
       (SELECT count(*) FROM audit WHERE subject = serial AND outcome = 'accepted')::integer AS accepted
     FROM tokens ORDER BY serial`,
  );
}

function respond(key: string, algorithm: string, at: { counter: bigint } | { timeStep: bigint }): string {
  return computeResponse(parseAlgorithm(algorithm), Buffer.from(key, 'hex'), { question: '', ...at });
}

describe(`a HOTP and a TOTP of one person, each sent ${WAYS.length * 3} times at once over three servers`, () => {
  it(
    'are accepted once each, in every round, and move their tokens once',
    async () => {
      const step = BigInt(Math.floor(Date.now() / 1_000 / STEP));
      for (let round = 0; round < ROUNDS; round += 1) {
        const timeStep = step + BigInt(round);
        const accepted = await race({
          hmac: respond(KEYS.hmac, 'HOTP-SHA1-8', { counter: BigInt(round) }),
          totp: respond(KEYS.totp, 'TOTP-SHA1-8:T30S', { timeStep }),
        });
        expect({ round, ...accepted }).toEqual({ round, hmac: 1, totp: 1 });
        const [hotp, totp] = await stored();
        expect(hotp).toMatchObject({ counter: round + 1, accepted: round + 1 });
        expect(totp).toMatchObject({ accepted: round + 1 });
        // The device runs ahead of the servers, one step a round.
        const shown = Math.floor(Date.now() / 1_000 / STEP) * STEP + (totp?.time_shift ?? 0);
        expect(Math.abs(shown - Number(timeStep) * STEP)).toBeLessThanOrEqual(STEP);
      }
    },
    TIMEOUT_MS,
  );
});
