import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';

import { computeResponse } from '../../src/ocra/compute.ts';
import { parseAlgorithm } from '../../src/ocra/otp.ts';
import { parseOcraSuite } from '../../src/ocra/suite.ts';
import type { BenchServer } from '../bench-server.ts';

/** Of all measured tokens. */
export const MEASURED_SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QA64');
export const MEASURED_KEY = Buffer.from('31'.repeat(32), 'hex');
const QUESTION = '0123456789abcdef'.repeat(4);
const REALM = 'staff';
/** Tokens that are answered for, and as many that challenges are requested for. */
const TOKENS = 5_000;
/** People with a token of HOTP and one of TOTP. */
const PEOPLE = 2_000;
const HOTP = parseAlgorithm('HOTP-SHA1-6');
/** Their number. */
export const MEASURED_TOKENS = 2 * TOKENS + 2 * PEOPLE;
/** Challenges of one statement. */
const AT_ONCE = 20_000;

/** Loads the tokens of the measurement, in one realm, as the service does it, and the policies of an installation. */
export async function loadMeasuredTokens(
  server: BenchServer,
  client: pg.Client,
  folder: string,
): Promise<void> {
  await client.query(`
    INSERT INTO resolvers (name, kind) VALUES ('${REALM}', 'managed');
    INSERT INTO realms (name) VALUES ('${REALM}');
    INSERT INTO realm_resolvers (realm_id, resolver_id, position)
      SELECT m.id, r.id, 0 FROM realms m, resolvers r WHERE m.name = '${REALM}' AND r.name = '${REALM}'`);
  const ocra = Array.from({ length: TOKENS }, (_, index) => [
    packageOf(serialOf('CHECK', index), 'ocra', MEASURED_KEY),
    packageOf(serialOf('ASK', index), 'ocra', MEASURED_KEY),
  ]);
  const people = Array.from({ length: PEOPLE }, (_, index) => [
    packageOf(serialOf('HOTP', index), 'hotp', MEASURED_KEY),
    packageOf(serialOf('TOTP', index), 'totp', MEASURED_KEY.subarray(1)),
  ]);
  const file = join(folder, 'tokens.xml');
  for (const packages of [ocra, people]) {
    await writeFile(file, keyContainer(packages.flat()), { mode: 0o600 });
    await server.run(['import', 'pskc', file, '--realm', REALM]);
  }
  await giveToPeople(client);
  const action = 'qrtanurl=https://otp.example.org/ocra/check_t';
  await server.run([
    'policy',
    'set',
    'qrtan',
    '--scope',
    'authentication',
    '--realm',
    REALM,
    '--action',
    action,
  ]);
  await client.query('ANALYZE');
}

/** Gives each pair of tokens without a challenge to a user of its own. */
async function giveToPeople(client: pg.Client): Promise<void> {
  await client.query(`
    INSERT INTO users (resolver_id, login, given_name, surname, email)
      SELECT resolvers.id, 'user' || n, 'Given', 'Surname', '' FROM resolvers, generate_series(0, ${PEOPLE - 1}) AS n;
    UPDATE tokens SET owner_resolver_id = users.resolver_id, owner_user_id = users.id::text, owner_login = login
      FROM users WHERE serial IN ('HOTP' || lpad(substr(login, 5), 6, '0'), 'TOTP' || lpad(substr(login, 5), 6, '0'))`);
}

/** @returns a form for /validate/check with the right pass of HOTP for each, in the given order */
export async function preparePasses(client: pg.Client, passes: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ owner_login: string; counter: string }>(
    "SELECT owner_login, counter FROM tokens WHERE serial LIKE 'HOTP%' ORDER BY serial",
  );
  return Array.from({ length: passes }, (_, index) => {
    const { owner_login: user, counter } = rows[index % rows.length] ?? { owner_login: '', counter: '0' };
    const position = BigInt(counter) + BigInt(Math.floor(index / rows.length));
    const pass = computeResponse(HOTP, MEASURED_KEY, { question: '', counter: position });
    return `user=${user}&realm=${REALM}&pass=${pass}`;
  });
}

/**
 * Makes open challenges of these tokens, each answered once in the given order. Challenges that an earlier run has left
 * open are removed.
 * @param answers their number
 * @returns a form for check_t with the right response for each
 */
export async function prepareAnswers(client: pg.Client, answers: number): Promise<readonly string[]> {
  await removeOpenChallenges(client, 'CHECK');
  const { rows } = await client.query<{ id: string; counter: string }>(
    "SELECT id, counter FROM tokens WHERE serial LIKE 'CHECK%' ORDER BY serial",
  );
  const run = randomBytes(8).toString('hex');
  const responses = new Map<bigint, string>();
  const planned = Array.from({ length: answers }, (_, index) => {
    const token = rows[index % rows.length] ?? { id: '0', counter: '0' };
    const counter = BigInt(token.counter) + BigInt(Math.floor(index / rows.length));
    const response =
      responses.get(counter) ??
      computeResponse(MEASURED_SUITE, MEASURED_KEY, { question: QUESTION, counter });
    responses.set(counter, response);
    const transaction = createHash('sha256').update(`${run} ${index}`).digest('hex').slice(0, 20);
    return { transaction, token: token.id, form: `transactionid=${transaction}&pass=${response}` };
  });
  for (let first = 0; first < planned.length; first += AT_ONCE) {
    const part = planned.slice(first, first + AT_ONCE);
    await client.query(
      `INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until)
       SELECT one.transaction, one.token, $3, 'Transfer 12 EUR', clock_timestamp(), clock_timestamp() + interval '20 minutes'
       FROM unnest($1::text[], $2::bigint[]) AS one (transaction, token)`,
      [part.map(({ transaction }) => transaction), part.map(({ token }) => token), QUESTION],
    );
  }
  await client.query('VACUUM (ANALYZE) challenges, tokens');
  return planned.map(({ form }) => form);
}

/** Removes what earlier requests have left open. @returns a form for request for each token */
export async function prepareRequests(client: pg.Client): Promise<readonly string[]> {
  await removeOpenChallenges(client, 'ASK');
  await client.query('VACUUM (ANALYZE) challenges, tokens');
  return requestedSerials().map((serial) => `serial=${serial}&data=${encodeURIComponent('Transfer 12 EUR')}`);
}

/** @returns the serials of the tokens that challenges are requested for */
export function requestedSerials(): readonly string[] {
  return Array.from({ length: TOKENS }, (_, index) => serialOf('ASK', index));
}

async function removeOpenChallenges(client: pg.Client, kind: string): Promise<void> {
  await client.query(
    'DELETE FROM challenges USING tokens WHERE tokens.id = token_id AND closed_by IS NULL AND tokens.serial LIKE $1',
    [`${kind}%`],
  );
}

function serialOf(kind: string, index: number): string {
  return `${kind}${String(index).padStart(6, '0')}`;
}

/** @returns a key of a PSKC file (RFC 6030) in clear */
function packageOf(serial: string, algorithm: 'ocra' | 'hotp' | 'totp', key: Uint8Array): string {
  const form =
    algorithm === 'ocra'
      ? `<Suite>${MEASURED_SUITE.text}</Suite>`
      : '<ResponseFormat Length="6" Encoding="DECIMAL"/>';
  const place = algorithm === 'totp' ? '' : '<Counter><PlainValue>0</PlainValue></Counter>';
  return `<KeyPackage><DeviceInfo><Manufacturer>Bench</Manufacturer><SerialNo>${serial}</SerialNo></DeviceInfo>
<Key Id="${serial}" Algorithm="urn:ietf:params:xml:ns:keyprov:pskc:${algorithm}"><Issuer>Bench</Issuer>
<AlgorithmParameters>${form}</AlgorithmParameters>
<Data><Secret><PlainValue>${Buffer.from(key).toString('base64')}</PlainValue></Secret>${place}</Data>
</Key></KeyPackage>`;
}

function keyContainer(packages: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<KeyContainer Version="1.0" xmlns="urn:ietf:params:xml:ns:keyprov:pskc">
${packages.join('\n')}
</KeyContainer>`;
}
