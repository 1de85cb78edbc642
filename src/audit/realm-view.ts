import type { Grant } from '../policy/access-control.ts';
import type { AuditRow } from './audit-row.ts';

/** @returns the realms of the row's subject that the grant covers */
export function grantedRealms({ realm }: Pick<AuditRow, 'realm'>, { realms: allowed }: Grant): string[] {
  const realms = realm === '' ? [] : realm.split(',');
  return allowed === 'all' ? realms : realms.filter((name) => allowed.includes(name));
}
