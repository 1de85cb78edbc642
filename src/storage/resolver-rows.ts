import type { Knex } from 'knex';

import type { Resolver } from '../accounts/setup.ts';
import { ServiceError } from '../kernel/errors.ts';

/**
 * Creates or changes a resolver. The caller holds the lock of the setup.
 * @returns whether it is new
 * @throws ServiceError 'resolver.invalid' when its kind would change
 */
export async function storeResolver(
  transaction: Knex.Transaction,
  { name, kind, settings }: Omit<Resolver, 'id'>,
): Promise<boolean> {
  const known = await transaction('resolvers')
    .where({ name })
    .first<{ id: string; kind: string } | undefined>('id', 'kind');
  if (known === undefined) {
    await transaction('resolvers').insert({ name, kind, settings: JSON.stringify(settings) });
    return true;
  }
  if (known.kind !== kind) {
    throw new ServiceError(
      'resolver.invalid',
      `The resolver '${name}' is of the kind ${known.kind} and cannot become ${kind}`,
    );
  }
  await transaction('resolvers')
    .where({ id: known.id })
    .update({ settings: JSON.stringify(settings) });
  return false;
}

/**
 * Removes a resolver, a managed one with its users. The caller holds the lock of the setup.
 *
 * Whoever gives a token an owner holds the resolver's row (FOR KEY SHARE) until commit, so once this has the row, all
 * references are there to be seen and no further one can come.
 * @returns whether there was one
 * @throws ServiceError 'resolver.in-use'
 */
export async function removeResolver(transaction: Knex.Transaction, name: string): Promise<boolean> {
  const resolver = await transaction('resolvers')
    .where({ name })
    .forUpdate()
    .first<{ id: string } | undefined>('id');
  if (resolver === undefined) {
    return false;
  }
  const realms = await transaction('realm_resolvers')
    .join('realms', 'realms.id', 'realm_resolvers.realm_id')
    .where({ resolver_id: resolver.id })
    .orderBy('realms.name')
    .pluck<string[]>('realms.name');
  if (realms.length > 0) {
    throw new ServiceError(
      'resolver.in-use',
      `The resolver '${name}' is in use by the realms ${realms.join(', ')}`,
    );
  }
  const owned: unknown = await transaction('tokens').where({ owner_resolver_id: resolver.id }).first('id');
  if (owned !== undefined) {
    throw new ServiceError('resolver.in-use', `The resolver '${name}' is in use by owners of tokens`);
  }
  await transaction('resolvers').where({ id: resolver.id }).delete();
  return true;
}
