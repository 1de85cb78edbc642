import type { Session, SessionState } from './session.tsx';

/** The login, and whose pages there are. */
export interface Shown {
  readonly state: SessionState;
  /** The login of the open pages, or of those that are kept since it ended. Undefined: there are none. */
  readonly owner: Session | undefined;
  /** True if the pages may be seen. */
  readonly isOpen: boolean;
}

/** After a person has left. */
export const NOBODY_SHOWN: Shown = { state: { kind: 'signed-out' }, owner: undefined, isOpen: false };

/** @returns what is shown after the login was read: pages that are closed stay so until their owner is back */
export function afterRead(before: Shown, read: SessionState): Shown {
  if (read.kind === 'signed-in') {
    return { state: read, owner: read.session, isOpen: true };
  }
  return { state: read, owner: before.owner, isOpen: read.kind === 'away' && before.isOpen };
}

/** @returns true if that administrator is signed in */
export function isOf({ owner, isOpen }: Shown, administrator: string): boolean {
  return isOpen && owner?.administrator === administrator;
}

/** @returns true if pages of one administrator end here, and those of another one may begin */
export function changesHands(before: Shown, after: Shown): boolean {
  return before.owner !== undefined && before.owner.administrator !== after.owner?.administrator;
}
