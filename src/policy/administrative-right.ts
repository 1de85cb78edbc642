import type { Right } from './access-control.ts';

/** @returns a right of the scopes admin and system, with the text for those who lack it */
export function administrativeRight(scope: 'admin' | 'system', action: string): Right {
  return {
    scope,
    action,
    message: `You do not have the administrative right to do this. You are missing a policy scope=${scope}, action=${action}`,
  };
}
