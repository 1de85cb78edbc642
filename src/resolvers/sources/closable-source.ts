import type { UserSource } from '../user-source.ts';

/** A source that may hold connections. */
export interface ClosableUserSource extends UserSource {
  /** Ends the connections after running work. A closed source remains usable: it opens new connections. */
  close?(): Promise<void>;
}
