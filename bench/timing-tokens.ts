import { computeResponse } from '../src/ocra/compute.ts';
import { parseQrTanUrl } from '../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../src/ocra/suite.ts';
import { FormProbe } from './form-probe.ts';
import type { BenchServer } from './bench-server.ts';
import type pg from 'pg';

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');
const KEY = '31'.repeat(32);
const PIN = '4711';
const WRONG_PIN = '4712';

/** A token with an open transaction, and responses to it. */
export interface TimedToken {
  readonly serial: string;
  readonly transaction: string;
  readonly pin: string;
  readonly wrongPin: string;
  readonly right: string;
  readonly firstWrong: string;
  readonly lastWrong: string;
}

/** The subjects of the requests of the bench. Names of what is there and of what is not are of the same length. */
export interface TimedTokens {
  readonly locked: TimedToken;
  readonly unlocked: TimedToken;
  /** The subjects of requests to the open endpoints; nothing of it has an open transaction. */
  readonly open: {
    readonly serial: string;
    readonly noSerial: string;
    readonly user: string;
    readonly noUser: string;
    readonly realm: string;
  };
}

/** Makes tokens with transactions, a user without tokens, and a second administrator, `known`. */
export async function makeTimedTokens(server: BenchServer, client: pg.Client): Promise<TimedTokens> {
  const post = apiOf(server);
  await post('/system/setConfig', { DefaultMaxFailCount: '1000000', OcraMaxChallengeRequests: '1000' });
  const locked = await makeToken(post, 'LOCKED');
  const unlocked = await makeToken(post, 'UNLOCKED');
  await enrol(post, 'IDLE1');
  await client.query("UPDATE tokens SET max_fail = 10, fail_count = 10 WHERE serial = 'LOCKED'");
  await client.query(`
    INSERT INTO resolvers (name, kind) VALUES ('people', 'managed');
    INSERT INTO realms (name) VALUES ('staff');
    INSERT INTO realm_resolvers (realm_id, resolver_id, position) SELECT m.id, r.id, 0 FROM realms m, resolvers r;
    INSERT INTO users (resolver_id, login, given_name, surname, email) SELECT id, 'anna1', '', '', '' FROM resolvers;
    INSERT INTO administrators (name, password_hash) SELECT 'known', password_hash FROM administrators`);
  return {
    locked,
    unlocked,
    open: { serial: 'IDLE1', noSerial: 'IDLE2', user: 'anna1', noUser: 'anna2', realm: 'staff' },
  };
}

/** Takes back the wrong responses to the token that is not locked, before its transaction is closed for them. */
export async function forgiveResponses(client: pg.Client): Promise<void> {
  await client.query(`
    UPDATE tokens SET fail_count = 0 WHERE serial = 'UNLOCKED';
    UPDATE challenges SET wrong_count = 0 FROM tokens WHERE tokens.id = token_id AND tokens.serial = 'UNLOCKED'`);
}

type Post = (path: string, parameters: Readonly<Record<string, string>>) => Promise<string>;

function apiOf({ baseUrl, apiToken }: BenchServer): Post {
  return async (path, parameters) => {
    const probe = new FormProbe(baseUrl);
    const headers = { Authorization: `Bearer ${apiToken}` };
    const { status, body } = await probe.post({ path, parameters, headers });
    probe.close();
    if (status !== 200) {
      throw new Error(`POST ${path} was answered ${status}: ${body}`);
    }
    return body;
  };
}

async function enrol(post: Post, serial: string): Promise<void> {
  const pin = { pin: PIN };
  await post('/admin/init', { type: 'ocra', serial, otpkey: KEY, ocrasuite: SUITE.text, ...pin });
}

async function makeToken(post: Post, serial: string): Promise<TimedToken> {
  await enrol(post, serial);
  const { detail } = JSON.parse(await post('/ocra/request', { serial, data: '12345678' })) as {
    detail: { data: string; transactionid: string };
  };
  const url = parseQrTanUrl(detail.data);
  const question = url.kind === 'req' ? url.question : '';
  const right = computeResponse(SUITE, Buffer.from(KEY, 'hex'), { question, counter: 0n });
  return {
    serial,
    transaction: detail.transactionid,
    pin: PIN,
    wrongPin: WRONG_PIN,
    right,
    firstWrong: `${otherDigit(right.at(0))}${right.slice(1)}`,
    lastWrong: `${right.slice(0, -1)}${otherDigit(right.at(-1))}`,
  };
}

function otherDigit(digit = '0'): string {
  return String((Number(digit) + 5) % 10);
}
