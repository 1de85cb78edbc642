import { expect } from '@jest/globals';
import { AuditService } from '../../../src/audit/audit-service.ts';
import { AuditStore } from '../../../src/audit/audit-store.ts';
import { AuditAuthority } from '../../../src/audit/checkpoint.ts';
import { AuditSealer } from '../../../src/audit/sealing-store.ts';
import type { AuditFinding, TrailVerification } from '../../../src/audit/verification.ts';
import { systemRandom } from '../../../src/kernel/system-random.ts';
import { Vault } from '../../../src/keys/vault.ts';
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

/** @returns SQL that inserts a row as no server does */
export function foreignRow(subject: string, at: string, id = 'DEFAULT'): string {
  return `INSERT INTO audit (id, at, actor, action, subject, realm, outcome, client, request_id, transaction_id)
    VALUES (${id}, '${at}', '', '', '${subject}', '', '', '', '', '')`;
}

/** A database whose audit is sealed for a vault, as that of servers is. */
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
    return new AuditAuthority({ vault: new Vault({ keys: this.keys, random: systemRandom }) });
  }

  /** @returns a pool, as another server would have */
  server(sharing: Sharing = SHARING): Database {
    const server = openDatabase({
      connection: this.test.url,
      applicationName: 'test',
      clock: this.clock,
      sharing,
      // On a machine that is busy.
      acquireTimeoutMs: 30_000,
    });
    this.#servers.push(server);
    return server;
  }

  sealer(database: Database = this.test.database): AuditSealer {
    const log = { info: () => undefined };
    return new AuditSealer({ database, authority: this.authority, clock: this.clock, log });
  }

  /** @returns the hash of the newest checkpoint */
  async seal(): Promise<string> {
    await this.sealer().sealAll();
    return (await this.verify()).newestCheckpoint;
  }

  service(database: Database = this.test.database): AuditService {
    return new AuditService({
      store: new AuditStore({ database }),
      sealer: this.sealer(database),
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
    expect(keys).toHaveLength(this.keys.length);
    return { ...result, all };
  }

  /** Changes the trail as an attacker with the database and no key would. */
  async tamper(sql: string, values: readonly (string | number)[] = []): Promise<void> {
    await this.test.database.knex.transaction(async (transaction) => {
      await transaction.raw("SET LOCAL tankeeper.audit = 'open'");
      await transaction.raw(sql, [...values]);
    });
  }

  async drop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
    await this.test.drop();
  }
}

/** @returns each finding in short: `changed 3` for a row by its id, `changed checkpoint 2` */
export function shortly(findings: readonly AuditFinding[]): readonly string[] {
  return findings.map(({ kind, target: of, id }) =>
    `${kind}${of === 'row' ? '' : ' checkpoint'} ${id ?? ''}`.trimEnd(),
  );
}
