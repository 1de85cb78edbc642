import { readPart } from '../shell/page-address.ts';
import { tokenAddress } from '../helpdesk/addresses.ts';
import type { Format } from '../language/format.ts';

/** The periods to choose from. `own`: between two times. */
export const PERIODS = ['1H', '1D', '1W', '30D', 'all', 'own'] as const;
export type Period = (typeof PERIODS)[number];

/** The form of a search as it was filled in; empty texts select nothing. */
export interface AuditForm {
  readonly serial: string;
  /** The owner of tokens, as `login@realm`. */
  readonly user: string;
  readonly actor: string;
  readonly action: string;
  readonly outcome: string;
  readonly realm: string;
  readonly client: string;
  readonly request_id: string;
  readonly transaction_id: string;
  readonly period: Period;
  /** As `<input type="datetime-local">` gives it: in the zone of the console. */
  readonly from: string;
  readonly to: string;
}

export const EMPTY_FORM: AuditForm = {
  serial: '',
  user: '',
  actor: '',
  action: '',
  outcome: '',
  realm: '',
  client: '',
  request_id: '',
  transaction_id: '',
  period: '1D',
  from: '',
  to: '',
};

const TEXTS = [
  'serial',
  'user',
  'actor',
  'action',
  'outcome',
  'realm',
  'client',
  'request_id',
  'transaction_id',
] as const satisfies readonly (keyof AuditForm)[];

/** The filters of /admin/audit/search and /admin/audit/export. */
export type AuditFilters = Readonly<Partial<Record<(typeof TEXTS)[number] | 'since' | 'until', string>>>;

/** @returns the filters of a form */
export function filtersOf(form: AuditForm, format: Pick<Format, 'ofTyped'>): AuditFilters {
  const texts = TEXTS.map((name) => [name, form[name].trim()] as const);
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== '')),
    ...periodOf(form, format),
  };
}

function periodOf(
  { period, from, to }: AuditForm,
  { ofTyped }: Pick<Format, 'ofTyped'>,
): { readonly since?: string; readonly until?: string } {
  if (period === 'all') {
    return {};
  }
  if (period !== 'own') {
    return { since: period };
  }
  return { ...(from !== '' && { since: ofTyped(from) }), ...(to !== '' && { until: ofTyped(to) }) };
}

/**
 * Reads the address itself: the router leaves percent-encoded characters such as the slash as they are, and decodes
 * the percent sign.
 * @param hash of the address
 * @returns the object that it names; empty if it names none
 */
export function subjectIn(hash: string): string {
  const [, subject = ''] = /^#\/audit\/subject\/([^/]+)$/.exec(hash) ?? [];
  try {
    return decodeURIComponent(subject);
  } catch {
    return '';
  }
}

/** @returns the search that the address asks for: the rows about an object, or about the tokens of a user */
export function formAt(hash: string): AuditForm {
  const [, user] = /^#\/audit\/user\/([^/]+)$/.exec(hash) ?? [];
  const asked = user === undefined ? { serial: subjectIn(hash) } : { user: readPart(user) };
  const isAsked = Object.values(asked).some((text) => text !== '');
  return isAsked ? { ...EMPTY_FORM, ...asked, period: 'all' } : EMPTY_FORM;
}

/** Acts whose object is a token. */
const ABOUT_TOKENS = /^(?:ocra|validate|token|cli)\/|^admin\/(?:init|loadtokens|resync)$/;

/** @returns the path of the page of a row's object; undefined: it has none */
export function subjectPath({
  action,
  subject,
}: {
  readonly action: string;
  readonly subject: string;
}): string | undefined {
  return subject !== '' && ABOUT_TOKENS.test(action) ? tokenAddress(subject) : undefined;
}

/** Responses and acts that were refused. */
const REFUSED = /^(?:wrong|exhausted|locked|closed|unverifiable|reported|refused|failed)/;

/** @returns the colour of an outcome */
export function outcomeColour(outcome: string): 'green' | 'red' | 'gray' {
  return outcome === 'accepted' ? 'green' : REFUSED.test(outcome) ? 'red' : 'gray';
}
