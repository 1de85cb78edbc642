import type { Caller, Principal } from '../../../src/policy/caller.ts';

/** @returns a caller who has all rights that policies leave, differing in what is given */
export function callerNamed(administrator: string, changes: Partial<Principal> = {}): Caller {
  return {
    principal: { administrator, rights: ['*'], operator: false, client: '192.0.2.7', ...changes },
    requestId: 'request-1',
  };
}

/** Somebody at the command line of the machine itself. */
export const OPERATOR: Caller = callerNamed('operator:root', { operator: true, client: '' });
