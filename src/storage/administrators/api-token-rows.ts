import type { Knex } from 'knex';

import type { ApiToken } from '../../administrators/ports.ts';

/** An API token as `selectApiTokens` reads it; never its hash. */
export interface ApiTokenRow {
  readonly name: string;
  readonly administrator: string;
  readonly rights: string[];
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

/** @returns a query for `ApiTokenRow`s, to be narrowed by the caller */
export function selectApiTokens(connection: Knex): Knex.QueryBuilder {
  return connection('api_tokens')
    .join('administrators', 'administrators.id', 'api_tokens.administrator_id')
    .select(
      'api_tokens.name',
      'administrators.name as administrator',
      'api_tokens.rights',
      'api_tokens.created_at',
      'api_tokens.expires_at',
    );
}

export function toApiToken(row: ApiTokenRow): ApiToken {
  return {
    name: row.name,
    administrator: row.administrator,
    rights: row.rights,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
