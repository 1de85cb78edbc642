import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examineInstallation } from '../../../src/compose/examine-installation.ts';
import { type Installation, openInstallation } from '../../../src/compose/open-installation.ts';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import type { Finding } from '../../../src/doctor/finding.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { OPERATOR } from '../../support/values/callers.ts';

const ignored = (): void => undefined;
const LOG = { error: ignored, warn: ignored, info: ignored, debug: ignored };

/** An installation with a key, a user and a realm, without faults of its own. */
export class ExaminedInstallation {
  readonly test: TestDatabase;
  readonly folder: string;
  readonly config: Config;
  readonly services: Installation['services'];
  readonly #installation: Installation;

  private constructor(test: TestDatabase, folder: string, config: Config, installation: Installation) {
    this.test = test;
    this.folder = folder;
    this.config = config;
    this.services = installation.services;
    this.#installation = installation;
  }

  static async create(): Promise<ExaminedInstallation> {
    const folder = await mkdtemp(join(tmpdir(), 'tankeeper-doctor-'));
    const test = await createTestDatabase();
    const config = loadConfig({ DATABASE_URL: test.url, DATA_DIR: folder, TRUST_PROXY: 'loopback' });
    // A server, not a command, makes the key.
    await (await openInstallation(config, 'server', LOG)).close();
    const installation = await openInstallation(config, 'command', LOG);
    const { administrators, resolvers, realms, users } = installation.services;
    await administrators.ensureFirstAdministrator();
    await resolvers.set(OPERATOR, { name: 'people', kind: 'managed', settings: {} });
    await users.add(OPERATOR, { resolver: 'people', login: 'ann' });
    await realms.set(OPERATOR, { name: 'office', resolvers: ['people'] });
    return new ExaminedInstallation(test, folder, config, installation);
  }

  get keyFile(): string {
    return this.config.encryptionKeyFile;
  }

  /** @param later milliseconds by which the clock of the examination is ahead */
  examine(later = 0): Promise<readonly Finding[]> {
    return examineInstallation(this.config, { clock: { now: () => new Date(Date.now() + later) } });
  }

  async sql(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) {
      await this.test.database.knex.raw(statement);
    }
  }

  /** Runs work as a command, which reads the keys when it starts. */
  async command<T>(work: (services: Installation['services']) => Promise<T>): Promise<T> {
    const installation = await openInstallation(this.config, 'command', LOG);
    try {
      return await work(installation.services);
    } finally {
      await installation.close();
    }
  }

  checkpoint(): Promise<unknown> {
    return this.#installation.services.auditSealer.sealAll();
  }

  async close(): Promise<void> {
    await this.#installation.close();
    await this.test.drop();
    await rm(this.folder, { recursive: true });
  }
}
