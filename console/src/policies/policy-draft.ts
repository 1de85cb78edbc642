/** A policy as the server stores it: the lists are texts with commas. */
export interface StoredPolicy {
  readonly name: string;
  readonly scope: string;
  readonly action: string;
  readonly realm: string;
  readonly user: string;
  readonly client: string;
  readonly time: string;
  readonly active: boolean;
}

/** A policy as it is being edited: every field is a text, as the server reads it. */
export type PolicyDraft = StoredPolicy;

/** The fields that are texts, in the order in which they are shown. */
export const TEXT_FIELDS = ['name', 'scope', 'action', 'realm', 'user', 'client', 'time'] as const;

export type TextField = (typeof TEXT_FIELDS)[number];

export const NEW_POLICY: PolicyDraft = {
  name: '',
  scope: 'admin',
  action: '',
  realm: '',
  user: '',
  client: '',
  time: '',
  active: true,
};

/** As the server reads it: quotation marks quote only at the beginning of a value. */
const ENTRY = /(?:[^,=]*=\s*(?:"[^"]*"|'[^']*')\s*(?=,|$)|[^,]*)(?:,|$)/gy;

/** @returns the entries of a comma list, trimmed, without empty ones */
export function entriesOf(list: string): readonly string[] {
  const entries: string[] = [];
  const form = new RegExp(ENTRY);
  while (form.lastIndex < list.length) {
    const [entry = ''] = form.exec(list) ?? [];
    entries.push(entry.replace(/,$/, '').trim());
  }
  return entries.filter((entry) => entry !== '');
}

/** @returns the list with an entry, or without it */
export function withEntry(list: string, entry: string, isWanted: boolean): string {
  const others = entriesOf(list).filter((one) => one !== entry);
  return [...others, ...(isWanted ? [entry] : [])].join(', ');
}

/** @returns the value of an action, without its quotation marks; empty: the list does not name it */
export function valueIn(list: string, action: string): string {
  const found = entriesOf(list).find((entry) => entry.split('=', 1)[0]?.trim() === action) ?? '';
  const [, written = ''] = /=(.*)/s.exec(found) ?? [];
  const [, , value = written.trim()] = /^(["'])(.*)\1$/s.exec(written.trim()) ?? [];
  return value;
}

/** @param value empty: the list no longer names the action */
export function withValue(list: string, action: string, value: string): string {
  const others = entriesOf(list).filter((entry) => entry.split('=', 1)[0]?.trim() !== action);
  const quote = value.includes('"') ? "'" : '"';
  const written = /[,'"]/.test(value) ? `${quote}${value}${quote}` : value;
  return [...others, ...(value === '' ? [] : [`${action}=${written}`])].join(', ');
}

/** @returns the parameters of a policy in the interface */
export function parametersOf({
  active,
  ...texts
}: PolicyDraft): Readonly<Record<TextField | 'inactive', string>> {
  return { ...texts, inactive: active ? '0' : '1' };
}

/** @returns the parameter `expected` for what the editor has read; null: there was no such policy */
export function expectedOf(read: StoredPolicy | null): string {
  return JSON.stringify(read);
}

/** @returns the names of the fields in which two policies differ */
export function differences(one: PolicyDraft, other: PolicyDraft): readonly (TextField | 'active')[] {
  return ([...TEXT_FIELDS, 'active'] as const).filter((field) => one[field] !== other[field]);
}

/** @returns the draft as text, one field a line */
export function toText(draft: PolicyDraft): string {
  const lines = TEXT_FIELDS.map((field) => `${field} = ${draft[field]}`);
  return [...lines, `active = ${draft.active ? 'True' : 'False'}`].join('\n');
}

/** @returns the draft, or the first line that is none */
export function fromText(text: string): PolicyDraft | { readonly wrong: string } {
  const draft: Partial<Record<string, string>> = {};
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, field = '', value = ''] = /^\s*(\w+)\s*=(.*)$/.exec(line) ?? [];
    if (field !== 'active' && !TEXT_FIELDS.some((known) => known === field)) {
      return { wrong: line };
    }
    if (field === 'active' && !/^(?:true|false)$/i.test(value.trim())) {
      return { wrong: line };
    }
    draft[field] = value.trim();
  }
  const { active = 'True', ...texts } = draft;
  return { ...NEW_POLICY, scope: '', ...texts, active: active.toLowerCase() === 'true' };
}

/** The choice of policies in the table; an empty text does not restrict. */
export interface PolicyFilter {
  readonly text: string;
  readonly scope: string;
  readonly realm: string;
  readonly state: '' | 'active' | 'inactive';
}

/** @returns true if the policy is chosen; one for all realms is for each of them */
export function isChosen(policy: StoredPolicy, { text, scope, realm, state }: PolicyFilter): boolean {
  const realms = entriesOf(policy.realm).map((name) => name.toLowerCase());
  const words = text.trim().toLowerCase();
  return (
    (scope === '' || policy.scope === scope) &&
    (realm === '' || realms.includes('*') || realms.includes(realm)) &&
    (state === '' || policy.active === (state === 'active')) &&
    (words === '' ||
      [policy.name, policy.user, policy.action, policy.client].some((one) =>
        one.toLowerCase().includes(words),
      ))
  );
}
