import { ServiceError } from '../kernel/errors.ts';

/** The failure 'database.unavailable' with a reason for clients, which names neither host nor user. */
export class DatabaseUnavailable extends ServiceError<'database.unavailable'> {
  /** The end of the message. */
  readonly reason: string;

  constructor(reason: string, context: { readonly detail?: string; readonly cause?: unknown } = {}) {
    super('database.unavailable', `the database is not available: ${reason}`, context);
    this.reason = reason;
  }
}
