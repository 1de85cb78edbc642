import { isServiceError } from '../kernel/errors.ts';
import { checkPolicy } from '../policy/policy.ts';
import type { Policy } from '../policy/stored-policy.ts';
import type { ConfigTable } from './config-table.ts';
import type { Mapped } from './mapped.ts';

const KEY = /^linotp\.Policy\.(.+)\.(scope|action|realm|user|client|time|active)$/s;

/** @returns true for a key of Config that belongs to a policy */
export function isPolicyKey(key: string): boolean {
  return /^linotp\.Policy\./i.test(key);
}

/** @returns the policies; one that the server does not understand is inactive, and otherwise as it was */
export function mapPolicies(config: ConfigTable): readonly Mapped<Policy>[] {
  const byName = new Map<string, Map<string, string>>();
  const others: Mapped<Policy>[] = [];
  for (const { key, value } of config.values()) {
    const [, name, field] = KEY.exec(key) ?? [];
    if (name !== undefined && field !== undefined) {
      byName.set(name, (byName.get(name) ?? new Map<string, string>()).set(field, value));
    } else if (isPolicyKey(key)) {
      const reasons = ['this is no field of a policy'];
      others.push({
        name: key.slice('linotp.Policy.'.length),
        row: `Config ${key}`,
        value: undefined,
        reasons,
      });
    }
  }
  const policies = [...byName].sort(([one], [other]) => (one < other ? -1 : 1));
  return [...policies.map(([name, fields]) => mapPolicy(name, fields)), ...others];
}

function mapPolicy(name: string, fields: ReadonlyMap<string, string>): Mapped<Policy> {
  const text = (field: string): string => {
    const value = (fields.get(field) ?? '').trim();
    // What was left out when the policy was set.
    return value === 'None' ? '' : value;
  };
  const stored = {
    name,
    scope: text('scope'),
    action: text('action'),
    realm: text('realm'),
    user: text('user'),
    client: text('client'),
    time: text('time'),
    active: text('active').toLowerCase() === 'true',
  };
  const row = `Config linotp.Policy.${name}.*`;
  try {
    return { name, row, value: checkPolicy(stored), reasons: [] };
  } catch (error) {
    if (!isServiceError(error, 'policy.invalid')) {
      throw error;
    }
    const reasons = [`${stored.active ? 'is now inactive' : 'stays inactive'}: ${error.message}`];
    return { name, row, value: { ...stored, active: false }, reasons };
  }
}
