import { call, type ValueOf } from '../api/call.ts';
import type { Format } from '../language/format.ts';

/** The question on the explainer's page, as it is typed. */
export interface ExplanationForm {
  readonly kind: 'administrator' | 'owner' | 'refusal';
  readonly administrator: string;
  readonly groups: string;
  readonly user: string;
  readonly resolver: string;
  readonly realm: string;
  readonly client: string;
  /** As an `<input type="datetime-local">` has it, in the zone of the console. */
  readonly time: string;
  readonly request: string;
}

/** @param address the part of the page's address: `explain`, `explain?request=ID`, or the id itself */
export function questionAt(address: string | undefined, administrator: string): ExplanationForm {
  const request = /^explain(?:\?request=(.*))?$/s.exec(address ?? 'explain');
  const id = request === null ? (address ?? '') : decoded(request[1] ?? '');
  const rest = { groups: '', user: '', resolver: '', realm: '', client: '', time: '' };
  return { kind: id === '' ? 'administrator' : 'refusal', administrator, request: id, ...rest };
}

/** @param address as that of `questionAt` @returns false for what can be no id of a request, as the name of a policy */
export function isQuestion(address: string | undefined): boolean {
  return address === undefined || /^(?:explain(?:\?.*)?|[\w.-]{8,64})$/s.test(address);
}

/** @returns true if enough is typed to ask */
export function isAskable({ kind, administrator, request }: ExplanationForm): boolean {
  return kind === 'owner' || (kind === 'refusal' ? request : administrator).trim() !== '';
}

type Rights = ValueOf<'/admin/policy/explain'>;
type Values = ValueOf<'/admin/policy/explain-owner'>;
type Refusal = ValueOf<'/admin/policy/explain-refusal'>;

/** The answer to a question of any kind, and the question as it was understood. */
export type Answer = Pick<Rights, 'client' | 'at'> & Partial<Rights> & Partial<Values> & Partial<Refusal>;

/** Asks the server. */
export function ask(
  question: ExplanationForm,
  { ofTyped }: Pick<Format, 'ofTyped'>,
  signal: AbortSignal,
): Promise<Answer> {
  const { kind, administrator, groups, user, resolver, realm, client, time, request } = question;
  if (kind === 'refusal') {
    return call('/admin/policy/explain-refusal', { request_id: request, groups }, { signal });
  }
  const circumstances = { realm, client, time: ofTyped(time) };
  return kind === 'owner'
    ? call('/admin/policy/explain-owner', { user, resolver, ...circumstances }, { signal })
    : call('/admin/policy/explain', { administrator, groups, ...circumstances }, { signal });
}

/** @returns true for people who sign in by single sign-on, who have groups */
export function hasGroups({ kind, administrator }: ExplanationForm): boolean {
  return kind === 'refusal' || (kind === 'administrator' && administrator.startsWith('oidc:'));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
