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

/** @returns true if enough is typed to ask */
export function isAskable({ kind, administrator, request }: ExplanationForm): boolean {
  return kind === 'owner' || (kind === 'refusal' ? request : administrator).trim() !== '';
}

/** @returns the parameters of /system/explainPolicy */
export function parametersOf(
  question: ExplanationForm,
  { ofTyped }: Pick<Format, 'ofTyped'>,
): Readonly<Record<string, string>> {
  const { kind, administrator, groups, user, resolver, realm, client, time, request } = question;
  if (kind === 'refusal') {
    return { request: request.trim(), groups };
  }
  const circumstances = { realm, client, time: ofTyped(time) };
  return kind === 'owner'
    ? { user, resolver, ...circumstances }
    : { administrator, groups, ...circumstances };
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
