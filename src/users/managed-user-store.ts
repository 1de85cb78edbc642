import type { Knex } from 'knex';
import type { Act } from '../policy/caller.ts';
import { comparableLogin, meantBy } from '../resolvers/resolver-lookup.ts';
import {
  digitsOfPhone,
  LIKE_ESCAPE,
  likePattern,
  patternsFor,
  WORD_BREAKS,
  type UserCondition,
  type UserField,
  type UserSearch,
} from '../resolvers/user-source.ts';
import { ServiceError } from '../kernel/errors.ts';
import { formsOf, assertStorable, isRowId, isStorable } from '../kernel/text.ts';
import { closeOpenChallenges, revisionColumns, withLockedTokens } from '../tokens/token-rows-store.ts';
import type { Database } from '../database/database.ts';
import { SharedLookup } from '../database/shared-statements.ts';
import type { ManagedUser } from './user.ts';

/** The columns by the fields of a user. */
const FIELDS: Readonly<Record<UserField, string>> = {
  userId: 'id',
  login: 'login',
  givenName: 'given_name',
  surname: 'surname',
  email: 'email',
  phone: 'phone',
};
/** The columns of a `ManagedUser`. */
const COLUMNS = Object.entries({ ...FIELDS, passwordHash: 'password_hash' }).map(
  ([field, column]) => `${column} as ${field}`,
);

/** The fields whose beginnings have an index, with its expression. */
const BEGINNINGS: Readonly<Partial<Record<UserField, string>>> = {
  login: 'lower(login COLLATE "default")',
  givenName: 'lower(given_name)',
  surname: 'lower(surname)',
  email: 'lower(email)',
};
/** The words of names after the first one, as in its index: each after the id of the resolver. */
const LATER_WORDS = 'later_words(resolver_id, given_name, surname)';
const AT_WORD_BREAKS = new RegExp(
  `[${WORD_BREAKS.map((text) => `\\u{${(text.codePointAt(0) ?? 0).toString(16)}}`).join('')}]`,
  'u',
);
/** The digits of telephone numbers from the last one on, as in their index. */
const PHONE_BACKWARDS = "reverse(regexp_replace(phone, '[^0-9]', '', 'g'))";

/** Of the users whose logins differ in case or form only: more are as ambiguous as these. */
const MAX_NAMESAKES = 20;
/** Of each field, where further conditions decide on them. */
const MAX_CANDIDATES = 1_000;

/** Folded counts plus pending deltas (docs/adr/0010-counts-kept-by-the-database.md). */
const COUNT = `
  SELECT coalesce(sum(users), 0) AS users FROM (
    SELECT resolver_id, users FROM user_counts UNION ALL SELECT resolver_id, users FROM user_count_deltas
  ) AS both_sides
  WHERE resolver_id = ?`;

/** The users of managed resolvers. */
export class ManagedUserStore {
  readonly #database: Database;
  /** By the id of a resolver, a login and its forms. A row also has its place among those sought: it is not spread. */
  readonly #byLogin: SharedLookup<ManagedUser>;

  constructor({ database }: { database: Database }) {
    this.#database = database;
    const byLogin = database
      .knex('users')
      .whereRaw('resolver_id = (requested.key::json ->> 0)::bigint')
      .whereRaw(
        `${BEGINNINGS.login ?? ''} = ANY (ARRAY(SELECT lower(form) FROM json_array_elements_text(requested.key::json -> 2) AS form))`,
      )
      .orderByRaw('login = requested.key::json ->> 1 DESC')
      .limit(MAX_NAMESAKES)
      .select(COLUMNS);
    this.#byLogin = new SharedLookup(database, 'find-logins', byLogin);
  }

  /**
   * @returns the user of that login, or else of one that differs in case or Unicode form only
   * @throws ServiceError 'user.ambiguous' for several others
   */
  async findByLogin(resolverId: string, login: string): Promise<ManagedUser | undefined> {
    if (!isRowId(resolverId) || !isStorable(login)) {
      return undefined;
    }
    const users = await this.#byLogin.all(JSON.stringify([resolverId, login, formsOf(login)]));
    const sought = comparableLogin(login);
    return meantBy(
      login,
      users.filter((user) => comparableLogin(user.login) === sought),
    );
  }

  async findById(resolverId: string, userId: string): Promise<ManagedUser | undefined> {
    if (!isRowId(resolverId) || !isRowId(userId)) {
      return undefined;
    }
    return this.#users(resolverId).where({ id: userId }).first<ManagedUser | undefined>(COLUMNS);
  }

  /** @returns users by login */
  async list(
    resolverId: string,
    search: Partial<UserSearch> & { readonly offset?: number } = {},
  ): Promise<readonly ManagedUser[]> {
    const { conditions = [], limit, offset } = search;
    if (!isRowId(resolverId) || !conditions.every(({ pattern }) => isStorable(...pattern))) {
      return [];
    }
    const query = this.#users(resolverId).orderBy('login').select<ManagedUser[]>(COLUMNS);
    if (search.isInAnyOrder === true) {
      this.#useBeginning(query, resolverId, search);
    }
    conditions.forEach((condition) => {
      restrict(query, condition);
    });
    if (limit !== undefined) {
      query.limit(limit);
    }
    if (offset !== undefined) {
      query.offset(offset);
    }
    return query;
  }

  /** @returns the count that the database keeps, so that many users take no longer than few */
  async count(resolverId: string): Promise<number> {
    if (!isRowId(resolverId)) {
      return 0;
    }
    const { rows } = await this.#database.knex.raw<{ rows: { users: string }[] }>(COUNT, [resolverId]);
    return Number(rows[0]?.users);
  }

  /** @throws ServiceError 'user.exists', 'resolver.unknown', 'resolver.invalid' if the resolver is not a managed one */
  async insert(resolverId: string, user: Omit<ManagedUser, 'userId'>, act: Act): Promise<ManagedUser> {
    assertStorable(...Object.values(user));
    return this.#database.transact(async ({ sql, audit }) => {
      await holdManagedResolver(sql, resolverId);
      const [added] = await sql('users')
        .insert({
          resolver_id: resolverId,
          login: user.login,
          given_name: user.givenName,
          surname: user.surname,
          email: user.email,
          phone: user.phone,
          password_hash: user.passwordHash,
        })
        .onConflict(['resolver_id', 'login'])
        .ignore()
        .returning<ManagedUser[]>(COLUMNS);
      if (added === undefined) {
        throw new ServiceError('user.exists', `There is a user '${user.login}' already`);
      }
      await audit.write(act, user.login, 'created');
      return added;
    });
  }

  async setPassword(
    resolverId: string,
    userId: string,
    passwordHash: string | null,
    act: Act,
  ): Promise<boolean> {
    if (!isRowId(resolverId) || !isRowId(userId)) {
      return false;
    }
    return this.#database.transact(async ({ sql, audit }) => {
      const [user] = await sql('users')
        .where({ resolver_id: resolverId, id: userId })
        .update({ password_hash: passwordHash })
        .returning<{ login: string }[]>('login');
      if (user !== undefined) {
        await audit.write(act, user.login, 'password changed');
      }
      return user !== undefined;
    });
  }

  /** Removes the user; the tokens become unassigned. @returns true if the user existed */
  async remove(resolverId: string, userId: string, act: Act): Promise<boolean> {
    if (!isRowId(resolverId) || !isRowId(userId)) {
      return false;
    }
    return this.#database.transact(async ({ sql, audit }) => {
      // Assigning a token holds the user's row until commit: this waits for it and then sees the token.
      const [user] = await sql('users')
        .where({ resolver_id: resolverId, id: userId })
        .delete()
        .returning<{ login: string }[]>('login');
      if (user !== undefined) {
        const tokens = await unassignTokens(sql, resolverId, userId, act);
        await audit.write(act, user.login, `removed, ${tokens} tokens unassigned`);
      }
      return user !== undefined;
    });
  }

  #users(resolverId: string): Knex.QueryBuilder {
    return this.#database.knex('users').where({ resolver_id: resolverId });
  }

  /**
   * Narrows the search to candidates that indexes find, if it has beginnings, and to telephone numbers: for several
   * words, those of each, as a usual one has more than are read.
   */
  #useBeginning(query: Knex.QueryBuilder, resolverId: string, search: Partial<UserSearch>): void {
    const { conditions = [], limit = MAX_CANDIDATES } = search;
    const max = conditions.length === 1 ? limit : MAX_CANDIDATES;
    const candidates = [
      ...conditions
        .filter(isBeginning)
        .flatMap((condition) => this.#beginningWith(resolverId, condition, max)),
      ...conditions.flatMap((condition) => this.#calledAt(resolverId, condition, max)),
    ];
    if (candidates.length > 0) {
      const { knex } = this.#database;
      query.whereRaw('id IN (?)', [knex.raw(candidates.map(() => '?').join(' UNION '), candidates)]);
    }
  }

  /** Finds candidates by the index of the ends of telephone numbers. None for another condition. */
  #calledAt(resolverId: string, condition: UserCondition, max: number): Knex.Raw[] {
    const backwards = digitsOfPhone(condition)?.split('').reverse().join('');
    const atEnd = `phone <> '' AND ${PHONE_BACKWARDS} ~>=~ ? AND ${PHONE_BACKWARDS} ~<~ ?`;
    return backwards === undefined
      ? []
      : [
          this.#database.knex.raw(
            `(SELECT id FROM users WHERE resolver_id = ? AND ${atEnd} ORDER BY ${PHONE_BACKWARDS} USING ~<~ LIMIT ?)`,
            [resolverId, backwards, `${backwards}:`, max],
          ),
        ];
  }

  /** Finds candidates by an index for each field, and for later words of names, at most so many of each. */
  #beginningWith(resolverId: string, condition: UserCondition, max: number): Knex.Raw[] {
    const {
      fields,
      pattern: [text],
      isOfAnyWord = false,
    } = condition;
    const beginnings = fields.map((field) =>
      this.#database.knex.raw(
        `(SELECT id FROM users WHERE resolver_id = ? AND ${BEGINNINGS[field] ?? ''} ~>=~ lower(?)
            AND ${BEGINNINGS[field] ?? ''} ~<~ (lower(?) || '\u{10FFFF}') ORDER BY ${BEGINNINGS[field] ?? ''} USING ~<~ LIMIT ?)`,
        [resolverId, text, text, max],
      ),
    );
    return isOfAnyWord ? [...beginnings, ...this.#withLaterWord(resolverId, text, max)] : beginnings;
  }

  /** A text of several words is looked for by its first one; none for a text that begins with the end of a word. */
  #withLaterWord(resolverId: string, text: string, max: number): Knex.Raw[] {
    const [word = '', ...others] = text.split(AT_WORD_BREAKS);
    const lexeme = `'${`${resolverId}:${word}`.replaceAll(/['\\]/g, '$&$&')}'${others.length === 0 ? ':*' : ''}`;
    return word === ''
      ? []
      : [
          this.#database.knex.raw(
            `(SELECT id FROM users WHERE resolver_id = ? AND ${LATER_WORDS} @@ lower(?)::tsquery LIMIT ?)`,
            [resolverId, lexeme, max],
          ),
        ];
  }
}

/** @returns true for a condition that an index finds */
function isBeginning({ fields, pattern }: UserCondition): boolean {
  return (
    pattern.length === 2 && pattern[1] === '' && fields.every((field) => BEGINNINGS[field] !== undefined)
  );
}

function restrict(query: Knex.QueryBuilder, condition: UserCondition): void {
  const alternatives = condition.fields.flatMap((field) =>
    patternsFor(condition, field).map((pattern) => [FIELDS[field], likePattern(pattern)]),
  );
  const one = `CAST(?? AS text) ILIKE ? ESCAPE '${LIKE_ESCAPE}'`;
  query.whereRaw(`(${alternatives.map(() => one).join(' OR ')})`, alternatives.flat());
}

async function holdManagedResolver(sql: Knex.Transaction, resolverId: string): Promise<void> {
  const resolver = isRowId(resolverId)
    ? await sql('resolvers')
        .where({ id: resolverId })
        .forKeyShare()
        .first<{ name: string; kind: string } | undefined>('name', 'kind')
    : undefined;
  if (resolver === undefined) {
    throw new ServiceError('resolver.unknown', 'There is no such resolver');
  }
  if (resolver.kind !== 'managed') {
    throw new ServiceError(
      'resolver.invalid',
      `The users of the resolver '${resolver.name}' are not kept here`,
    );
  }
}

/** Unassigns, and closes the tokens' open challenges, which only the former owner may answer. @returns their number */
async function unassignTokens(
  sql: Knex.Transaction,
  resolverId: string,
  userId: string,
  act: Act,
): Promise<number> {
  return withLockedTokens(sql, { owner: { resolverId, userId } }, async (locked) => {
    await sql('tokens')
      .where({ owner_resolver_id: resolverId, owner_user_id: userId })
      .update({
        owner_resolver_id: null,
        owner_user_id: null,
        owner_login: null,
        ...revisionColumns(sql, act),
      });
    for (const { id } of locked) {
      await closeOpenChallenges(sql, id);
    }
    return locked.length;
  });
}
