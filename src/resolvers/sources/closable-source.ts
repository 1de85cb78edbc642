import type { UserSource } from '../ports.ts';

/** A source that may hold connections. */
export interface ClosableUserSource extends UserSource {
  /** Ends the connections, once what is under way is done. A closed source may be asked again: it opens new ones. */
  close?(): Promise<void>;
}
