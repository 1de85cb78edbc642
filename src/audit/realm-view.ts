import { ServiceError } from '../kernel/errors.ts';
import type { Grant } from '../policy/access-control.ts';
import type { AuditRow } from './audit-row.ts';
import { assertKnownFilter, type AuditFilter } from './filter-values.ts';

/** @returns the realms of the row's subject that the grant covers */
export function grantedRealms({ realm }: Pick<AuditRow, 'realm'>, { realms: allowed }: Grant): string[] {
  const realms = realm === '' ? [] : realm.split(',');
  return allowed === 'all' ? realms : realms.filter((name) => allowed.includes(name));
}

/** @returns the row with those realms of its subject that the grant covers */
export function asGranted(row: AuditRow, grant: Grant): AuditRow {
  return { ...row, realm: grantedRealms(row, grant).join(',') };
}

/**
 * @returns the filter, bound to the realms of the grant
 * @throws ServiceError 'realm.unknown' for a realm that the grant does not cover, 'parameter.invalid' for an unknown
 *   action or outcome
 */
export function boundFilter<Filter extends Partial<AuditFilter>>(
  filter: Filter,
  grant: Grant,
): Filter & Pick<AuditFilter, 'within'> {
  assertKnownFilter(filter);
  if (grant.realms === 'all') {
    return filter;
  }
  if (filter.realm !== undefined && !grant.realms.includes(filter.realm)) {
    throw new ServiceError('realm.unknown', `There is no realm '${filter.realm.slice(0, 255)}'`);
  }
  return { ...filter, within: grant.realms };
}

/** @throws ServiceError 'right.missing' where the grant is bound to realms */
export function assertUnbound({ realms }: Grant): void {
  if (realms !== 'all') {
    throw new ServiceError(
      'right.missing',
      'The right admin:audit is bound to realms, and the audit can be verified as a whole only',
    );
  }
}
