import { expect } from '@jest/globals';
import type { InstallationKey } from '../../../src/audit/signatures.ts';
import type { AuditFinding } from '../../../src/audit/verification.ts';
import { AuditService } from '../../../src/audit/audit-service.ts';
import { type TrailVerification, verifyTrail } from '../../../src/audit/verify-trail.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { SecretVault } from '../../../src/keys/vault.ts';
import { AuditAuthority } from '../../../src/audit/signatures.ts';
import { AuditStore } from '../../../src/audit/audit-store.ts';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { SHARING, type Sharing } from '../../../src/database/prepared-statements.ts';
import { OPERATOR } from '../values/callers.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** The result of verifying, with each finding. */
export interface Verified extends TrailVerification {
  readonly all: readonly AuditFinding[];
}

/** A clock that tests set; it stands still. */
class SetClock {
  time = new Date();
  now(): Date {
    return this.time;
  }
}

/** @returns SQL that inserts a row which no writer has signed */
export function unsignedRow(subject: string, at: string): string {
  return `INSERT INTO audit (id, at, actor, action, subject, realm, outcome, client, request_id,
      transaction_id, writer, lane, seq, prev_hash, hash, signature)
    SELECT count(*), '${at}', '', '', '${subject}', '', '', '', '', '', 0, 0, 0, '', '', '' FROM audit`;
}

/** A database whose audit rows are signed for a vault, as those of servers are. */
export class AuditedDatabase {
  readonly test: TestDatabase;
  readonly clock = new SetClock();
  keys: readonly Buffer[] = [Buffer.alloc(32, 7)];
  readonly #servers: Database[] = [];

  private constructor(test: TestDatabase) {
    this.test = test;
  }

  static async create(): Promise<AuditedDatabase> {
    return new AuditedDatabase(await createTestDatabase());
  }

  get authority(): AuditAuthority {
    return new AuditAuthority({ vault: new SecretVault({ keys: this.keys, random: systemRandom }) });
  }

  /** @returns a pool with a writer of its own, as another server would have */
  server(certified = true, sharing: Sharing = SHARING): Database {
    const server = openDatabase({
      connection: this.test.url,
      applicationName: 'test',
      clock: this.clock,
      sharing,
      // On a machine that is busy.
      acquireTimeoutMs: 30_000,
    });
    if (certified) {
      server.audit.certifyBy(this.authority);
    }
    this.#servers.push(server);
    return server;
  }

  service(database: Database = this.test.database): AuditService {
    return new AuditService({
      store: new AuditStore({ database }),
      authority: this.authority,
      clock: this.clock,
      pruningTime: () => Promise.resolve(this.clock.now()),
    });
  }

  async verify(checkpoint?: string): Promise<Verified> {
    const all: AuditFinding[] = [];
    const { keys, ...result } = await this.service().verify(OPERATOR, {
      report: (finding) => all.push(finding),
      checkpoint,
    });
    const verified = { ...result, all };
    expect(await this.#verifyInSteps(keys, checkpoint)).toEqual(verified);
    return verified;
  }

  /** @returns the result of verifying what a reading in steps sees, as an export over HTTP does */
  async #verifyInSteps(keys: readonly InstallationKey[], checkpoint: string | undefined): Promise<Verified> {
    const all: AuditFinding[] = [];
    const store = new AuditStore({ database: this.test.database });
    const installation = await store.read((snapshot) => snapshot.installation());
    const result = await store.readInSteps(
      (snapshot) =>
        verifyTrail(snapshot, {
          keys,
          checkpoint,
          installation,
          report: (finding) => all.push(finding),
        }),
      (step) => step(),
    );
    return { ...result, all };
  }

  /** Changes the trail as an attacker with the database and no key would. */
  async tamper(sql: string, values: readonly (string | number)[] = []): Promise<void> {
    await this.test.database.knex.raw(sql, [...values]);
  }

  async drop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    await this.test.drop();
  }
}

/** @returns each finding in short: `changed row 3` by the row's place in its lane, `changed journal 2` by its number */
export function shortly(findings: readonly AuditFinding[]): readonly string[] {
  return findings.map(({ kind, of, id, lane, seq }) =>
    of === 'row' ? `${kind} ${lane ?? ''}/${seq ?? ''}` : `${kind} journal ${id ?? ''}`.trimEnd(),
  );
}
