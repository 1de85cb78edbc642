import type { Knex } from 'knex';

import type { Owner } from '../users/owner.ts';
import type { TokenChange } from './token.ts';
import { ServiceError } from '../kernel/errors.ts';
import { isRowId, isStorable } from '../database/stored-text.ts';
import type { Columns } from './token-rows-store.ts';

/**
 * Finds the rows that a token is to refer to, and holds them until the end of the transaction, so that they cannot be
 * removed meanwhile. Must come before the token's own row is locked (docs/architecture.md, "Order of locks").
 * @returns the columns of the token for the given owner and realms
 * @throws ServiceError 'resolver.unknown', 'user.unknown', 'realm.unknown'
 */
export async function holdReferences(
  transaction: Knex.Transaction,
  change: Pick<TokenChange, 'owner' | 'realms'>,
): Promise<Columns> {
  const owner = change.owner === undefined ? {} : await holdOwner(transaction, change.owner);
  const realms = change.realms === undefined ? {} : await holdRealms(transaction, change.realms);
  return { ...owner, ...realms };
}

async function holdOwner(transaction: Knex.Transaction, owner: Owner | null): Promise<Columns> {
  if (owner === null) {
    return { owner_resolver_id: null, owner_user_id: null, owner_login: null };
  }
  const resolver = isRowId(owner.resolverId)
    ? await transaction('resolvers')
        .where({ id: owner.resolverId })
        .forKeyShare()
        .first<{ kind: string } | undefined>('kind')
    : undefined;
  if (resolver === undefined) {
    throw new ServiceError('resolver.unknown', `There is no resolver '${owner.resolver}'`);
  }
  if (resolver.kind === 'managed') {
    await holdManagedUser(transaction, owner);
  }
  return {
    owner_resolver_id: owner.resolverId,
    owner_user_id: owner.userId,
    owner_login: owner.login,
  };
}

async function holdManagedUser(transaction: Knex.Transaction, owner: Owner): Promise<void> {
  const user: unknown = isRowId(owner.userId)
    ? await transaction('users')
        .where({ id: owner.userId, resolver_id: owner.resolverId })
        .forKeyShare()
        .first('id')
    : undefined;
  if (user === undefined) {
    throw new ServiceError('user.unknown', `There is no user '${owner.login}'`, {
      user: owner.login,
      login: owner.login,
    });
  }
}

async function holdRealms(transaction: Knex.Transaction, realms: readonly string[]): Promise<Columns> {
  const names = [...new Set(realms.map((realm) => realm.trim().toLowerCase()))];
  const found = await transaction('realms')
    .whereIn(
      'name',
      names.filter((name) => isStorable(name)),
    )
    .orderBy('id')
    .forKeyShare()
    .select<{ id: string; name: string }[]>('id', 'name');
  const unknown = names.find((name) => !found.some((realm) => realm.name === name));
  if (unknown !== undefined) {
    throw new ServiceError('realm.unknown', `There is no realm '${unknown}'`, { name: unknown });
  }
  const { rows } = await transaction.raw<{ rows: { id: string }[] }>(
    'SELECT intern_realm_set(?::bigint[]) AS id',
    [found.map(({ id }) => id)],
  );
  return { realm_set_id: rows[0]?.id ?? null };
}
