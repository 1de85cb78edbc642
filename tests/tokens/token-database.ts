import type { NewToken } from '../../src/tokens/token.ts';
import { TokenStore } from '../../src/tokens/token-store.ts';
import { ACT } from '../support/values/token-values.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

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

  /** Makes these the only tokens, in this order. `acts` begins anew. */
  async hold(tokens: readonly NewToken[]): Promise<void> {
    const { knex } = this.#test.database;
    await knex('tokens').delete();
    for (const token of tokens) {
      await this.tokens.insert(token, ACT);
    }
    const last = await knex('audit').max<{ id: string | null }[]>('id as id');
    this.#begin = last[0]?.id ?? '-1';
  }

  /** @returns what the audit tells of since `hold` */
  acts(): Promise<readonly string[]> {
    return this.#test.database
      .knex('audit')
      .where('id', '>', this.#begin)
      .whereNot({ action: ACT.action })
      .pluck<string[]>('subject');
  }

  async drop(): Promise<void> {
    await this.#test.drop();
  }
}
