import type { Caller, Principal } from '../../../src/policy/caller.ts';

/** @returns a caller with all rights that policies leave, and the given changes */
export function callerNamed(administrator: string, changes: Partial<Principal> = {}): Caller {
  return {
    principal: { administrator, rights: ['*'], operator: false, client: '192.0.2.7', ...changes },
    requestId: 'request-1',
  };
}

/** A user at the command line of the machine itself. */
export const OPERATOR: Caller = callerNamed('operator:root', { operator: true, client: '' });

/** @returns the value of the header Authorization */
export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`, 'utf8').toString('base64')}`;
}
