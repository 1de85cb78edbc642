import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChallengeIssueStore } from '../../../src/challenges/challenge-issue-store.ts';
import { ChallengeStore } from '../../../src/challenges/challenge-store.ts';
import type { ChallengeOfToken, Decision } from '../../../src/challenges/challenge.ts';
import { IssuedChallenges } from '../../../src/challenges/issued-challenges.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { migrateToLatest } from '../../../src/database/migrate.ts';
import { TokenStore } from '../../../src/tokens/token-store.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import {
  initialise,
  leaveBehind,
  type PostgresNode,
  postgresNode,
  startStandby,
} from '../../support/servers/system-postgres.ts';
import { describeWithProgram, findPostgres } from '../../support/servers/system-programs.ts';
import { LATER, NOW, QUESTIONS, rightly, wrongly } from '../../support/values/challenge-answers.ts';
import { ACT, tokenValue } from '../../support/values/token-values.ts';
import { until } from '../../support/values/until.ts';

const REVISION = 1n;

/** A server that hears nothing of the failover: it forgets nothing. */
interface Server {
  readonly database: Database;
  readonly challenges: ChallengeStore;
  readonly issues: ChallengeIssueStore;
  readonly tokens: TokenStore;
}

function opened(url: string): Server {
  const database = openDatabase({ connection: url, applicationName: 'test' });
  const issued = new IssuedChallenges();
  return {
    database,
    challenges: new ChallengeStore({ database, issued }),
    issues: new ChallengeIssueStore({ database, issued }),
    tokens: new TokenStore({ database }),
  };
}

async function issue({ issues, tokens }: Server, serial: string, transactionId: string): Promise<void> {
  const seen = await tokens.findBySerial(serial);
  const challenge = { transactionId, question: `Q${transactionId}`, questions: QUESTIONS, data: '' };
  const issued = { issuedAt: NOW, expiresAt: LATER, revision: REVISION };
  await issues.issue({ ...challenge, ...issued, tokenId: seen?.id ?? '', ...(seen && { seen }) }, 4, ACT);
}

/** A right response that was made for this position of the counter. */
function rightFor(counter: bigint): (found: ChallengeOfToken) => Promise<Decision> {
  return (found) => (found.token.counter <= counter ? rightly() : wrongly(1_000))(found);
}

describeWithProgram('a failover to a standby that is behind', findPostgres(), 'postgresql', (programs) => {
  let folder: string;
  let primary: PostgresNode;
  let standby: PostgresNode;
  let proxy: DatabaseProxy;
  let before: Server;
  let after: Server;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankeeper-behind-'));
    primary = await postgresNode(programs, folder, 'primary');
    standby = await postgresNode(programs, folder, 'standby');
    await initialise(programs, primary);
    proxy = await DatabaseProxy.start(primary.url);
    before = opened(proxy.url);
    await migrateToLatest(before.database);
    await startStandby(programs, primary, standby);
  });
  afterAll(async () => {
    await Promise.all([before.database.close(), after.database.close()]);
    await proxy.stop();
    await Promise.all([primary.stop(), standby.stop()]);
    rmSync(folder, { recursive: true });
  });

  it('gives versions twice, and what was remembered of the lost ones accepts nothing and moves no counter back', async () => {
    for (const serial of ['WRONG', 'LOST', 'KEPT']) {
      await before.tokens.insert(tokenValue(serial), ACT);
      await issue(before, serial, `${serial} first`);
      await issue(before, serial, `${serial} second`);
    }
    await leaveBehind(primary, standby);
    // Of these, the standby gets nothing: each raises a version.
    await before.challenges.answer('WRONG second', wrongly(), ACT, REVISION);
    await issue(before, 'LOST', 'LOST third');
    const lost = await Promise.all(
      ['WRONG', 'LOST', 'KEPT'].map((serial) => before.tokens.findBySerial(serial)),
    );
    await primary.stop();
    await queryOnce(standby.superUrl, 'SELECT pg_promote()');
    proxy.turnTo(standby.url);
    after = opened(standby.url);

    // Other content gets the same versions.
    for (const serial of ['WRONG', 'LOST']) {
      const counter = 5n;
      await after.challenges.answer(`${serial} first`, moving(counter), ACT);
    }
    const found = await Promise.all(
      ['WRONG', 'LOST', 'KEPT'].map((serial) => after.tokens.findBySerial(serial)),
    );
    expect(found.map((token) => token?.version)).toEqual(lost.map((token) => token?.version));
    expect(found.map((token) => token?.counter)).toEqual([5n, 5n, 0n]);

    await until(() =>
      before.tokens.findBySerial('KEPT').then(
        () => true,
        () => false,
      ),
    );
    const answered = [];
    for (const transaction of ['WRONG second', 'LOST second', 'LOST third', 'KEPT second']) {
      answered.push(await before.challenges.answer(transaction, rightFor(0n), ACT, REVISION));
    }
    expect(answered.map((decision) => decision?.result)).toEqual([false, false, undefined, true]);
    const counters = ['WRONG', 'LOST', 'KEPT'].map(
      async (serial) => (await after.tokens.findBySerial(serial))?.counter,
    );
    expect(await Promise.all(counters)).toEqual([5n, 5n, 1n]);
  });
});

/** @returns the decision on a right response that moves the counter there */
function moving(counter: bigint): (found: ChallengeOfToken) => Promise<Decision> {
  return async (found) => {
    const decision = await rightly()(found);
    const { change } = decision;
    return change === null
      ? decision
      : { ...decision, change: { ...change, token: { ...change.token, counter } } };
  };
}
