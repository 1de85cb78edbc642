import type { RefusalNotes } from '../audit/refusal-trail.ts';
import type { AnyServiceError, ErrorPayloads } from '../kernel/errors.ts';
import type { Exchange } from './request/exchange.ts';

/** A refusal for the audit; the exchange holds the rest. */
export interface Refused {
  readonly outcome: string;
  readonly detail?: string | undefined;
  /** The person whom a provider has named. */
  readonly actor?: string;
  /** The account named in the rejected credential. */
  readonly account?: string | undefined;
  /** The user, found in a directory, whose credential was rejected. */
  readonly subject?: string;
  readonly realm?: string;
}

/** Outcomes by limit. Limits of requests are not audited. */
const THROTTLED: ReadonlyMap<string, string> = new Map([
  ['login-failures', 'too many passwords'],
  ['logins-at-once', 'too many passwords'],
  ['begun-sign-ins', 'too many sign-ins'],
]);

/** @returns the audit's description of an error; undefined where it is no refusal to audit */
export function refusedBy(error: AnyServiceError): Refused | undefined {
  const { code, payload } = error;
  switch (code) {
    case 'right.missing':
      return { outcome: missingRight(payload) };
    case 'cross-site.refused':
      return { outcome: 'cross-site' };
    case 'too-many-requests':
      return throttled(payload.limit);
    default:
      return refusedProof(error);
  }
}

function throttled(limit: string): Refused | undefined {
  const outcome = THROTTLED.get(limit);
  return outcome === undefined ? undefined : { outcome };
}

function refusedProof({ code, payload }: AnyServiceError): Refused | undefined {
  switch (code) {
    case 'authentication.required':
      // Browsers send the first request without credentials; that is no failed attempt.
      return payload.credentials && { outcome: payload.credentials, account: payload.account };
    case 'sign-in.refused':
      return {
        outcome: payload.refused ?? payload.credentials,
        account: payload.account,
        ...payload.user,
        ...singleSignOnFacts(payload),
      };
    case 'sign-in.ended':
      return payload.why === undefined
        ? undefined
        : { outcome: 'single sign-on', ...singleSignOnFacts(payload) };
    case 'confirmation.refused':
      return { outcome: payload.credentials, account: payload.account };
    case 'second-factor.required':
    case 'second-factor.unusable':
      return { outcome: 'second factor', account: payload.account };
    default:
      return undefined;
  }
}

function singleSignOnFacts({ why, person }: ErrorPayloads['sign-in.ended']): Partial<Refused> {
  return { detail: why, ...(person !== undefined && { actor: person, subject: person }) };
}

/** @returns the outcome; `audit/explanation-service.ts` reads it */
function missingRight({ policy, tokenRight }: ErrorPayloads['right.missing']): string {
  if (tokenRight !== undefined) {
    return `no right ${tokenRight} in the API token`;
  }
  return policy === undefined ? 'no right' : `no right ${policy.scope}:${policy.action}`;
}

/** Records a refused request in the audit. */
export async function noteRefused(
  refusals: RefusalNotes,
  { context, administrator, client, requestId }: Exchange,
  refused: Refused | undefined,
): Promise<void> {
  if (refused !== undefined) {
    await refusals.note({
      client,
      requestId,
      actor: administrator ?? '',
      action: (context.path ?? '').slice(1),
      // The parameters of an unknown client are not recorded: one may be a secret in the wrong place.
      ...(administrator !== undefined && {
        subject: context.parameters.get('serial') ?? '',
        realm: context.parameters.get('realm') ?? '',
      }),
      ...refused,
    });
  }
}
