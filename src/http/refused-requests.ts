import type { RefusalNotes } from '../audit/ports.ts';
import type { AnyServiceError } from '../kernel/errors.ts';
import type { Exchange } from './request/exchange.ts';

/** What was refused, beside what the exchange knows. */
export interface Refused {
  readonly outcome: string;
  /** The account that somebody tried to be. */
  readonly account?: string | undefined;
}

/** Limits of passwords. Those of requests are no refusals of an administrator. */
const THROTTLED: readonly string[] = ['login-failures', 'logins-at-once'];

/** @returns what the audit says of an error; undefined where nothing was refused to somebody */
export function refusedBy({ code, payload }: AnyServiceError): Refused | undefined {
  switch (code) {
    case 'right.missing':
      return { outcome: 'no right' };
    case 'cross-site.refused':
      return { outcome: 'cross-site' };
    case 'authentication.required':
      // Browsers ask first without credentials, and are told that some are wanted.
      return payload.credentials && { outcome: payload.credentials, account: payload.account };
    case 'too-many-requests':
      return THROTTLED.includes(payload.limit) ? { outcome: 'too many passwords' } : undefined;
    default:
      return undefined;
  }
}

/** Tells of a request that was refused. */
export async function noteRefused(
  refusals: RefusalNotes | undefined,
  { context, administrator, client, requestId }: Exchange,
  refused: Refused | undefined,
): Promise<void> {
  if (refused !== undefined) {
    await refusals?.note({
      ...{ client, requestId, actor: administrator ?? '', action: (context.path ?? '').slice(1) },
      // What somebody unknown has written is no name of anything: it may be a secret in the wrong place.
      ...(administrator !== undefined && {
        ...{ subject: context.parameters.get('serial') ?? '', realm: context.parameters.get('realm') ?? '' },
      }),
      ...refused,
    });
  }
}
