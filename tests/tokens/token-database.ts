import type { NewToken } from '../../src/tokens/token.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { ACT } from '../support/values/token-values.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

/** An audit row, shortly. */
export interface AuditedAct {
  readonly actor: string;
  readonly action: string;
  readonly client: string;
  readonly requestId: string;
  readonly subject: string;
  readonly outcome: string;
}

/** A database with tokens, of owners who are elsewhere. */
export class TokenDatabase {
  readonly tokens: TokenStore;
  readonly #test: TestDatabase;
  #begin = '-1';

  private constructor(test: TestDatabase) {
    this.#test = test;
    this.tokens = new TokenStore(test);
  }

  /**
   * @param resolvers their names, by default of 1 and 2
   * @param realms the names of all realms
   */
  static async create(
    resolvers: readonly string[] = ['res', 'other'],
    realms: readonly string[] = ['alpha', 'beta', 'gamma'],
  ): Promise<TokenDatabase> {
    const test = await createTestDatabase();
    const { knex } = test.database;
    await knex('resolvers').insert(resolvers.map((name) => ({ name, kind: 'ldap' })));
    await knex('realms').insert(realms.map((name) => ({ name })));
    return new TokenDatabase(test);
  }

  get database(): TestDatabase['database'] {
    return this.#test.database;
  }

  /** Makes these the only tokens, in this order. `acts` begins anew. */
  async hold(tokens: readonly NewToken[]): Promise<void> {
    const { knex } = this.database;
    await knex('tokens').delete();
    for (const token of tokens) {
      await this.tokens.insert(token, ACT);
    }
    const last = await knex('audit').max<{ id: string | null }[]>('id as id');
    this.#begin = last[0]?.id ?? '-1';
  }

  /** Changes columns of a token and nothing else, past the store. */
  async set(
    serial: string,
    columns: Readonly<Record<string, string | number | Buffer | null>>,
  ): Promise<void> {
    await this.database.knex('tokens').where({ serial }).update(columns);
  }

  /** @returns what the audit has since `hold` */
  acts(): Promise<readonly AuditedAct[]> {
    return this.database
      .knex('audit')
      .where('id', '>', this.#begin)
      .whereNot({ action: ACT.action })
      .orderBy('id')
      .select<AuditedAct[]>('actor', 'action', 'client', 'request_id as requestId', 'subject', 'outcome');
  }

  async drop(): Promise<void> {
    await this.#test.drop();
  }
}
