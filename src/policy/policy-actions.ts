import type { ServiceError } from '../kernel/errors.ts';
import { isIssuerLogo, isIssuerName } from '../ocra/issuer.ts';
import { attempt, invalidPolicy, type PolicyScope, RIGHT_SCOPES } from './stored-policy.ts';

/** The allowed values of an action of the scope authentication. */
interface ActionValue {
  readonly fits: (value: string) => boolean;
  readonly allowed: string;
  readonly meaning: string;
}

/** An action that policies of a scope may name. */
export interface KnownAction {
  readonly name: string;
  /** In one line: the right that it gives, or what its value sets. */
  readonly meaning: string;
  /** The allowed values; undefined: it takes none. */
  readonly value?: string;
}

/** The rights of each scope, with their meanings. */
const GRANTED: Readonly<Record<Exclude<PolicyScope, 'authentication'>, Readonly<Record<string, string>>>> = {
  admin: {
    init: 'enrol tokens, or give a token a new key',
    loadtokens: 'load the keys of a PSKC or CSV file',
    show: 'list tokens',
    userlist: 'list users',
    set: 'set PIN, limits and description of a token',
    copytokenpin: 'copy the PIN of a token to another one',
    getserial: 'find the token that a response of HOTP or TOTP is of',
    reset: 'set the fail counter of a token to 0, which unlocks it',
    resync: 'resynchronise a token',
    enable: 'enable a token',
    disable: 'disable a token',
    assign: 'assign a token to a user',
    unassign: 'remove the owner of a token',
    remove: 'remove a token and its challenges',
    tokenrealm: 'set the realms of a token',
    audit: 'search the audit trail',
    transaction: 'see what happened to a transaction',
    transactiondata: 'see the display data of a transaction, with the right transaction',
    sessions: 'list and end the sessions of other administrators, and those of users at the account page',
  },
  system: {
    read: 'see policies, realms, resolvers and settings',
    write: 'change policies, realms, resolvers and settings',
  },
  monitoring: {
    tokens: 'count tokens by realm and status',
    userinfo: 'count users by realm and resolver',
    activeUsers: 'count users with an active token',
    config: 'see the state and synchronisation of the configuration',
    license: 'see the state of the licence',
    storageEncryption: 'see the state of the encryption of stored secrets',
    metrics: 'read the measurements of the server',
  },
  ocra: {
    request: 'issue challenges',
    status: 'see the state of challenges',
    activationcode: 'create an activation code',
    calcOTP: 'compute the response of an app, to test apps and portals',
    secondfactor: 'issue challenges for the second factor of an administrator, with the right request',
  },
  selfservice: {
    show: 'sign in at /app/account and see the own tokens, as every action of this scope lets',
    rename: 'describe an own token anew',
    lock: 'lock an own token, as of a lost phone; only administrators undo it',
    enrol: 'enrol another QR-TAN app, confirmed by the token that signed in',
    enroltotp: 'enrol another authenticator app (TOTP), confirmed by the token that signed in',
  },
};

/** @returns true if `*` names all actions of the scope; in the other scopes each one is chosen by its name */
export function hasWildcard(scope: PolicyScope): boolean {
  return RIGHT_SCOPES.some((one) => one === scope);
}

/** LinOTP's names of some actions. */
const LEGACY: Readonly<Partial<Record<PolicyScope, Readonly<Record<string, string>>>>> = {
  admin: { initOCRA: 'init', initOCRA2: 'init', import: 'loadtokens', tokenlist: 'show' },
};

const VALUED: Readonly<Record<string, ActionValue>> = {
  qrtanurl: {
    fits: (value) => value.length <= 2048 && URL.canParse(value),
    allowed: 'an absolute URL',
    meaning: 'the URL to which apps send their responses',
  },
  otppin: {
    fits: (value) => /^[012]$/.test(value),
    allowed: '0 (token PIN), 1 (password) or 2 (none)',
    meaning: 'the PIN or password that precedes a response',
  },
  issuer: {
    fits: isIssuerName,
    allowed: 'a name of at most 40 characters',
    meaning: 'the name that apps show beside a token, from its roll-out on',
  },
  issuerlogo: {
    fits: isIssuerLogo,
    allowed: 'a PNG picture of 16 to 64 pixels a side and at most 512 bytes, in base64url',
    meaning: 'the picture beside the name of the issuer',
  },
  challenge_response: {
    fits: (value) => value.length <= 200 && /^\s*(?:\*|\w+)(?:\s+(?:\*|\w+))*\s*$/.test(value),
    allowed: 'types of tokens, separated by blanks, or * for all',
    meaning: 'the PIN or password alone makes /validate/check issue a challenge to tokens of these types',
  },
};

/** @returns the actions of a scope, without `*` */
export function knownActions(scope: PolicyScope): readonly string[] {
  return Object.keys(scope === 'authentication' ? VALUED : GRANTED[scope]);
}

/** @returns the actions of a scope with their meanings, without `*` */
export function describedActions(scope: PolicyScope): readonly KnownAction[] {
  return scope === 'authentication'
    ? Object.entries(VALUED).map(([name, { meaning, allowed }]) => ({ name, meaning, value: allowed }))
    : Object.entries(GRANTED[scope]).map(([name, meaning]) => ({ name, meaning }));
}

/** @returns the name of an action; LinOTP's name is translated */
export function canonicalAction(scope: PolicyScope, action: string): string {
  const names = LEGACY[scope] ?? {};
  return Object.hasOwn(names, action) ? (names[action] ?? action) : action;
}

/** The actions of a policy that the server knows, and the names of the others. */
export interface FoundActions {
  /** The value by the action's name; empty for actions without one. */
  readonly known: ReadonlyMap<string, string>;
  readonly unknown: readonly string[];
}

/**
 * LinOTP's actions of the scope authentication that only send messages, choose providers or let more people in: without
 * them nothing becomes wider. All others may restrict something.
 */
const NEVER_RESTRICTS =
  /^(?:autosms|smstext|enforce_smstext|trigger_sms|dynamic_mobile_number|email(?:text|subject)|(?:sms|email|push|voice_)_?provider|voice_(?:message|language)|passthru|passOnNoToken|passOnNoUser|forward_server|support_offline|qrtanurl_init|(?:qr|push)token_\w+)$/;

/**
 * Reads actions as `readActions` does, but for unknown ones that may be left out without making the policy wider. In the
 * scopes that grant, an unknown right by its name alone grants nothing; with a value or a sign (`!remove`) it may be a
 * bound of another right. A policy of unknown rights alone still closes its scope. One of the scope selfservice with
 * unknown actions is for LinOTP's portal, and none here.
 * @throws ServiceError 'policy.invalid'
 */
export function findActions(scope: PolicyScope, text: string): FoundActions {
  const known = new Map<string, string>();
  const unknown = new Set<string>();
  for (const { action, value } of readEntries(scope, text)) {
    if (!isKnown(scope, action) && scope !== 'selfservice' && !mayBound(scope, action, value)) {
      unknown.add(action);
    } else {
      addAction(known, scope, action, value);
    }
  }
  assertSome(scope, known, [...unknown]);
  return { known, unknown: [...unknown] };
}

function addAction(
  known: Map<string, string>,
  scope: PolicyScope,
  action: string,
  value: string | undefined,
): void {
  const read = value === undefined ? undefined : unquote(value.trim());
  if (!isKnown(scope, action)) {
    throw unknownAction(scope, action, known);
  }
  assertAction(scope, action, read);
  if (known.has(action) && known.get(action) !== (read ?? '')) {
    throw invalidPolicy(`The action '${action}' has two values`);
  }
  known.set(action, read ?? '');
}

function assertSome(
  scope: PolicyScope,
  known: ReadonlyMap<string, string>,
  [unknown]: readonly string[],
): void {
  if (known.size === 0 && unknown === undefined) {
    throw invalidPolicy(`A policy of scope ${scope} needs an action. Known: ${listKnown(scope)}.`);
  }
  if (known.size === 0 && unknown !== undefined && scope === 'authentication') {
    throw unknownAction(scope, unknown);
  }
}

/** The actions of a stored policy, which another version may have written. */
interface StoredActions extends FoundActions {
  /** Known rights that it names and does not give, as their values are unknown here. */
  readonly withheld: ReadonlySet<string>;
}

/**
 * Reads the actions of a stored policy one by one: one that is unknown here, also with a value or a sign, is passed over
 * alone, so that the others hold while servers of two versions run. A right with an unknown value is withheld. In the
 * scope authentication, an `otppin` that cannot be read asks for the token PIN.
 */
export function storedActions(scope: PolicyScope, text: string): StoredActions {
  const known = new Map<string, string>();
  const unknown = new Set<string>();
  const withheld = new Set<string>();
  for (const { action, value } of readEntries(scope, text)) {
    const { fault } = attempt(() => {
      addAction(known, scope, action, value);
    });
    if (!isKnown(scope, action)) {
      unknown.add(action);
    } else if (fault !== undefined) {
      unknown.add(`${action} with its value`);
      withheld.add(action);
    }
  }
  for (const action of withheld) {
    if (action === 'otppin') {
      known.set(action, known.get(action) === '1' ? '1' : '0');
    } else if (scope === 'authentication') {
      known.delete(action);
    } else {
      known.set(action, '');
    }
  }
  return { known, unknown: [...unknown], withheld };
}

/** Scopes in which LinOTP has more actions than are served here. */
const LARGER_IN_LINOTP: readonly PolicyScope[] = ['admin', 'authentication', 'selfservice'];

/** @returns true where an action may be one that only LinOTP has */
export function mayBeForeign(scope: PolicyScope, text: string): boolean {
  return (
    LARGER_IN_LINOTP.includes(scope) && readEntries(scope, text).some(({ action }) => !isKnown(scope, action))
  );
}

/** @throws ServiceError 'policy.invalid' as `findActions`, and where all actions are unknown */
export function assertSomeKnown(scope: PolicyScope, text: string): void {
  if (findActions(scope, text).known.size === 0) {
    readActions(scope, text);
  }
}

/** @throws ServiceError 'policy.invalid' where a stored policy names nothing that is known */
export function assertEffect(scope: PolicyScope, text: string): void {
  if (storedActions(scope, text).known.size === 0) {
    findActions(scope, text);
  }
}

/** @returns true if the other actions of the policy could mean more without this unknown one */
function mayBound(scope: PolicyScope, action: string, value: string | undefined): boolean {
  return scope === 'authentication'
    ? !NEVER_RESTRICTS.test(action)
    : value !== undefined || !/^[A-Za-z][\w.-]*$/.test(action);
}

/**
 * Reads a comma list of `action` or `action=value`. A value is the text after the first `=`; one with commas needs
 * single or double quotation marks. Names are compared exactly.
 * @returns the value by the action's name; empty for actions without one
 * @throws ServiceError 'policy.invalid' with the unknown action and the known ones of the scope
 */
export function readActions(scope: PolicyScope, text: string): ReadonlyMap<string, string> {
  const { known, unknown } = findActions(scope, text);
  if (unknown[0] !== undefined) {
    throw unknownAction(scope, unknown[0], known);
  }
  return known;
}

function readEntries(
  scope: PolicyScope,
  text: string,
): readonly { readonly action: string; readonly value: string | undefined }[] {
  return splitActions(text).map((entry) => {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(entry) ?? [];
    return { action: canonicalAction(scope, name.trim()), value };
  });
}

/** Quotation marks quote only at the beginning of a value: an apostrophe within a text does not. */
function splitActions(text: string): readonly string[] {
  const form = /(?:[^,=]*=\s*(?:"[^"]*"|'[^']*')\s*(?=,|$)|[^,]*)(?:,|$)/gy;
  const entries: string[] = [];
  while (form.lastIndex < text.length) {
    const [entry = ''] = form.exec(text) ?? [];
    entries.push(entry.replace(/,$/, '').trim());
  }
  return entries.filter((entry) => entry !== '');
}

function unquote(value: string): string {
  const quote = value.charAt(0);
  if (quote !== '"' && quote !== "'") {
    return value;
  }
  if (value.length < 2 || !value.endsWith(quote)) {
    throw invalidPolicy(`The quotation mark ${quote} is not closed`);
  }
  return value.slice(1, -1);
}

function assertAction(scope: PolicyScope, action: string, value: string | undefined): void {
  const valued = scope === 'authentication' ? VALUED[action] : undefined;
  if (valued === undefined && value !== undefined) {
    throw invalidPolicy(`The action '${action}' of scope ${scope} takes no value`);
  }
  if (valued !== undefined && (value === undefined || !valued.fits(value))) {
    throw invalidPolicy(`The action '${action}' needs a value: ${valued.allowed}`);
  }
}

function isKnown(scope: PolicyScope, action: string): boolean {
  return knownActions(scope).includes(action) || (action === '*' && hasWildcard(scope));
}

/** @param known those before it: it may be the rest of a value with a comma */
function unknownAction(
  scope: PolicyScope,
  action: string,
  known: ReadonlyMap<string, string> = new Map(),
): ServiceError {
  const [valued] = scope === 'authentication' ? [...known.keys()].slice(-1) : [];
  const remedy = valued === undefined ? '' : ` Quotation marks keep a comma in a value: ${valued}="A, B".`;
  return invalidPolicy(`Unknown action '${action}' in scope ${scope}. Known: ${listKnown(scope)}.${remedy}`);
}

function listKnown(scope: PolicyScope): string {
  return [...knownActions(scope), ...(hasWildcard(scope) ? ['*'] : [])].join(', ');
}
