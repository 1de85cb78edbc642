import type { Right } from './access-control.ts';

/** @returns a right of the scopes admin and system */
export function administrativeRight(scope: 'admin' | 'system', action: string): Right {
  return { scope, action };
}
