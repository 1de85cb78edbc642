import { ServiceError } from '../kernel/errors.ts';
import type { Grant } from '../policy/access-control.ts';
import type { AuditRow } from './audit-row.ts';

/** @returns the realms of the row's subject that the grant covers */
export function grantedRealms({ realm }: Pick<AuditRow, 'realm'>, { realms: allowed }: Grant): string[] {
  const realms = realm === '' ? [] : realm.split(',');
  return allowed === 'all' ? realms : realms.filter((name) => allowed.includes(name));
}

/** @throws ServiceError 'realm.unknown' for a realm that the grant does not cover */
export function assertVisibleRealm({ realms }: Grant, requested: string | undefined): void {
  if (realms !== 'all' && requested !== undefined && !realms.includes(requested)) {
    throw new ServiceError('realm.unknown', `There is no realm '${requested.slice(0, 255)}'`);
  }
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
