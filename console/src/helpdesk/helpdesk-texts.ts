import type { Texts } from '../language/language.ts';
import type { TokenState } from './token-state.ts';

/** The states of a transaction. */
export type TransactionState =
  'open' | 'expired' | 'accepted' | 'given up' | 'superseded' | 'declined' | 'reported' | 'ended';

interface HelpdeskTexts {
  readonly search: string;
  readonly searchHint: string;
  readonly people: string;
  readonly tokens: string;
  readonly transactions: string;
  readonly nobody: string;
  readonly noToken: string;
  readonly noTransaction: string;
  readonly nothing: (text: string) => string;
  readonly found: (count: number) => string;
  readonly more: string;
  readonly incomplete: string;
  readonly serial: string;
  readonly owner: string;
  readonly realm: string;
  readonly realms: string;
  readonly resolver: string;
  readonly noRealm: string;
  readonly state: string;
  readonly states: Readonly<Record<TokenState, string>>;
  readonly lostSince: (time: string, by: string) => string;
  readonly lastSuccess: string;
  readonly never: string;
  readonly description: string;
  readonly email: string;
  readonly phone: string;
  readonly namesHidden: string;
  readonly enrolFurther: string;
  readonly audit: string;
  readonly sessions: (count: string) => string;
  readonly endSessions: string;
  readonly sessionsEnded: (count: string) => string;
  readonly pages: string;
  readonly lockedToken: string;
  readonly latest: string;
  readonly latestHidden: string;
  readonly issued_at: string;
  readonly wrong: string;
  readonly transaction: string;
  readonly transactionStates: Readonly<Record<TransactionState, string>>;
}

export const helpdeskTexts: Texts<HelpdeskTexts> = {
  en: {
    search: 'User, serial, transaction or page',
    searchHint:
      'The beginning of a login, name, e-mail address or serial, the end of a telephone number, a whole transaction, or a page. Enter opens a single hit, arrows lead to the others. Keys: / and Ctrl+K',
    people: 'People',
    tokens: 'Tokens',
    transactions: 'Transactions',
    nobody: 'nobody',
    noToken: 'There is no token.',
    noTransaction: 'No transaction is stored.',
    nothing: (text) => `Nothing was found for “${text}”. It may be in a realm that you may not see.`,
    found: (count) => (count === 0 ? 'No hits' : count === 1 ? '1 hit' : `${count} hits`),
    more: 'There is more: type more of the name or serial.',
    incomplete: 'People may be missing:',
    serial: 'Serial',
    owner: 'Owner',
    realm: 'Realm',
    realms: 'Realms',
    resolver: 'Resolver',
    noRealm: 'none',
    state: 'State',
    states: {
      ready: 'ready',
      lost: 'reported lost',
      locked: 'locked: too many wrong responses',
      disabled: 'disabled',
      phase1: 'enrolment: waits for the activation code',
      phase2: 'enrolment: waits for the first response',
      early: 'not valid yet',
      expired: 'expired',
      'used-up': 'used as often as it may be',
    },
    lostSince: (time, by) => `on ${time} by ${by}`,
    lastSuccess: 'Last accepted response',
    never: 'never',
    description: 'Description',
    email: 'E-mail',
    phone: 'Phone',
    namesHidden: 'You have no right to the name and address (admin:userlist).',
    enrolFurther: 'New token',
    audit: 'Audit',
    sessions: (count) =>
      count === '1' ? 'Signed in at the account page.' : `Signed in at the account page: ${count} sessions.`,
    endSessions: 'End the sessions',
    sessionsEnded: (count) => (count === '1' ? '1 session is ended.' : `${count} sessions are ended.`),
    pages: 'Pages and acts',
    lockedToken: 'a token is locked',
    latest: 'Latest transactions',
    latestHidden: 'You have no right to see transactions (admin:transaction).',
    issued_at: 'Issued',
    wrong: 'Wrong responses',
    transaction: 'Transaction',
    transactionStates: {
      open: 'open',
      expired: 'expired',
      accepted: 'accepted',
      'given up': 'given up: too many wrong responses',
      superseded: 'replaced by a newer one',
      declined: 'declined on the device',
      reported: 'the user reports: this was not me',
      ended: 'ended without an answer',
    },
  },
  de: {
    search: 'Benutzer, Seriennummer, Transaktion oder Seite',
    searchHint:
      'Anfang von Benutzername, Name, E-Mail-Adresse oder Seriennummer, das Ende einer Telefonnummer, eine ganze Transaktion oder eine Seite. Enter öffnet einen einzelnen Treffer, Pfeile führen zu den anderen. Tasten: / und Strg+K',
    people: 'Personen',
    tokens: 'Token',
    transactions: 'Transaktionen',
    nobody: 'niemand',
    noToken: 'Es gibt kein Token.',
    noTransaction: 'Es ist keine Transaktion gespeichert.',
    nothing: (text) =>
      `Zu „${text}“ wurde nichts gefunden. Vielleicht liegt es in einem Realm, den Sie nicht sehen dürfen.`,
    found: (count) => (count === 0 ? 'Keine Treffer' : `${count} Treffer`),
    more: 'Es gibt mehr: Geben Sie mehr vom Namen oder der Seriennummer ein.',
    incomplete: 'Es können Personen fehlen:',
    serial: 'Seriennummer',
    owner: 'Inhaber',
    realm: 'Realm',
    realms: 'Realms',
    resolver: 'Resolver',
    noRealm: 'keiner',
    state: 'Zustand',
    states: {
      ready: 'bereit',
      lost: 'als verloren gemeldet',
      locked: 'gesperrt: zu viele falsche Antworten',
      disabled: 'deaktiviert',
      phase1: 'Ausrollen: wartet auf den Aktivierungscode',
      phase2: 'Ausrollen: wartet auf die erste Antwort',
      early: 'noch nicht gültig',
      expired: 'abgelaufen',
      'used-up': 'so oft benutzt, wie es sein darf',
    },
    lostSince: (time, by) => `am ${time} von ${by}`,
    lastSuccess: 'Letzte angenommene Antwort',
    never: 'nie',
    description: 'Beschreibung',
    email: 'E-Mail',
    phone: 'Telefon',
    namesHidden: 'Sie haben kein Recht auf Name und Adresse (admin:userlist).',
    enrolFurther: 'Neues Token',
    audit: 'Audit',
    sessions: (count) =>
      count === '1' ? 'An der Kontoseite angemeldet.' : `An der Kontoseite angemeldet: ${count} Sitzungen.`,
    endSessions: 'Sitzungen beenden',
    sessionsEnded: (count) => (count === '1' ? '1 Sitzung ist beendet.' : `${count} Sitzungen sind beendet.`),
    pages: 'Seiten und Handlungen',
    lockedToken: 'ein Token ist gesperrt',
    latest: 'Letzte Transaktionen',
    latestHidden: 'Sie haben kein Recht, Transaktionen zu sehen (admin:transaction).',
    issued_at: 'Ausgestellt',
    wrong: 'Falsche Antworten',
    transaction: 'Transaktion',
    transactionStates: {
      open: 'offen',
      expired: 'abgelaufen',
      accepted: 'angenommen',
      'given up': 'aufgegeben: zu viele falsche Antworten',
      superseded: 'durch eine neuere ersetzt',
      declined: 'auf dem Gerät abgelehnt',
      reported: 'Der Benutzer meldet: Das war ich nicht',
      ended: 'ohne Antwort beendet',
    },
  },
};
