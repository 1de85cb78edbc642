import type { Texts } from '../language/language.ts';
import type { ListedAdministrator } from './use-administrators.ts';

interface AdministratorTexts {
  readonly title: string;
  readonly lead: string;
  readonly name: string;
  readonly created: string;
  readonly factor: string;
  readonly factorOf: (administrator: ListedAdministrator) => string;
  readonly you: string;
  readonly addTitle: string;
  readonly addLead: string;
  readonly password: string;
  readonly add: string;
  readonly added: (name: string) => string;
  readonly unknown: string;
  readonly back: string;
  readonly own: string;
  readonly toAccount: string;
  readonly passwordTitle: string;
  readonly passwordLead: string;
  readonly newPassword: string;
  readonly revoke: string;
  readonly setPassword: string;
  readonly passwordSet: (left: number) => string;
  readonly factorTitle: string;
  readonly factorLead: string;
  readonly serial: string;
  readonly serialHint: string;
  readonly setToken: string;
  readonly tokenSet: string;
  readonly link: string;
  readonly linkMade: (until: string) => string;
  readonly removeFactor: string;
  readonly removeFactorTitle: (name: string) => string;
  readonly removeFactorText: string;
  readonly removal: string;
  readonly removalLead: string;
  readonly remove: string;
  readonly removeTitle: (name: string) => string;
  readonly removeText: string;
  readonly sessions: string;
  readonly everybody: string;
  readonly sessionsLead: string;
  readonly person: string;
}

export const administratorTexts: Texts<AdministratorTexts> = {
  en: {
    title: 'Administrators',
    lead: 'People with a password here. Their rights are those of the policies.',
    name: 'Name',
    created: 'Added',
    factor: 'Second factor',
    factorOf: ({ second_factor: kind, serial, is_second_factor_lost: isLost }) =>
      kind === 'token'
        ? `token ${serial ?? ''}${isLost ? ' is lost (removed, or another key): no sign-in until another is set' : ''}`
        : kind === 'passkey'
          ? 'passkey'
          : 'none',
    you: 'you',
    addTitle: 'Add an administrator',
    addLead: 'Policies for everybody hold for this person at once.',
    password: 'First password',
    add: 'Add',
    added: (name) => `${name} is added.`,
    unknown: 'There is no such administrator.',
    back: 'All administrators',
    own: 'This is you: password and passkeys are on your own page.',
    toAccount: 'To my account',
    passwordTitle: 'Another password',
    passwordLead: 'A new password ends all sessions.',
    newPassword: 'New password',
    revoke: 'Also revoke all API tokens',
    setPassword: 'Set the password',
    passwordSet: (left) =>
      left === 0
        ? 'The password is set, and all sessions are ended.'
        : `The password is set, and all sessions are ended. API tokens that go on to work: ${left}.`,
    factorTitle: 'Second factor',
    factorLead: 'With one, the password alone is not enough. Each change ends all sessions.',
    serial: 'Serial of a token',
    serialHint: 'OCRA, HOTP or TOTP: a token of this server that the person has.',
    setToken: 'Use the token',
    tokenSet: 'The token is the second factor from now on.',
    link: 'Make a link for a passkey',
    linkMade: (until) => `For this person alone, once, until ${until}. It is shown now and never again:`,
    removeFactor: 'Remove the second factor',
    removeFactorTitle: (name) => `Remove the second factor of ${name}?`,
    removeFactorText: 'The password alone is then enough. Passkeys are removed, and all sessions end.',
    removal: 'Removal',
    removalLead: 'Removes the administrator with sessions and API tokens. The last one stays.',
    remove: 'Remove the administrator',
    removeTitle: (name) => `Remove ${name}?`,
    removeText: 'All sessions end, and all API tokens are refused. The audit keeps the name.',
    sessions: 'Sessions',
    everybody: 'Open sessions',
    sessionsLead: 'Of everybody, newest first. A session that is ended is refused within a second.',
    person: 'You signed in by single sign-on: changes here take the password of an administrator.',
  },
  de: {
    title: 'Administratoren',
    lead: 'Personen mit einem Passwort auf diesem Server. Ihre Rechte sind die der Richtlinien.',
    name: 'Name',
    created: 'Angelegt',
    factor: 'Zweiter Faktor',
    factorOf: ({ second_factor: kind, serial, is_second_factor_lost: isLost }) =>
      kind === 'token'
        ? `Token ${serial ?? ''}${isLost ? ' ist verloren (entfernt oder neuer Schlüssel): keine Anmeldung, bis ein anderer gesetzt ist' : ''}`
        : kind === 'passkey'
          ? 'Passkey'
          : 'keiner',
    you: 'Sie',
    addTitle: 'Person hinzufügen',
    addLead: 'Richtlinien für alle gelten sofort auch für diese Person.',
    password: 'Erstes Passwort',
    add: 'Hinzufügen',
    added: (name) => `${name} ist hinzugefügt.`,
    unknown: 'Diese Person gibt es hier nicht.',
    back: 'Alle Administratoren',
    own: 'Das sind Sie: Passwort und Passkeys stehen auf Ihrer eigenen Seite.',
    toAccount: 'Zu meinem Konto',
    passwordTitle: 'Anderes Passwort',
    passwordLead: 'Ein neues Passwort beendet alle Sitzungen.',
    newPassword: 'Neues Passwort',
    revoke: 'Auch alle API-Token widerrufen',
    setPassword: 'Passwort setzen',
    passwordSet: (left) =>
      left === 0
        ? 'Das Passwort ist gesetzt, alle Sitzungen sind beendet.'
        : `Das Passwort ist gesetzt, alle Sitzungen sind beendet. Weiter gültige API-Token: ${left}.`,
    factorTitle: 'Zweiter Faktor',
    factorLead: 'Mit ihm reicht das Passwort allein nicht. Jede Änderung beendet alle Sitzungen.',
    serial: 'Seriennummer eines Tokens',
    serialHint: 'OCRA, HOTP oder TOTP: ein Token dieses Servers, das die Person hat.',
    setToken: 'Token verwenden',
    tokenSet: 'Das Token ist ab jetzt der zweite Faktor.',
    link: 'Link für einen Passkey erzeugen',
    linkMade: (until) => `Nur für diese Person, einmal, bis ${until}. Er wird nur jetzt angezeigt:`,
    removeFactor: 'Zweiten Faktor entfernen',
    removeFactorTitle: (name) => `Zweiten Faktor von ${name} entfernen?`,
    removeFactorText: 'Danach reicht das Passwort allein. Passkeys werden entfernt, alle Sitzungen enden.',
    removal: 'Entfernen',
    removalLead: 'Entfernt die Person mit Sitzungen und API-Token. Die letzte bleibt.',
    remove: 'Person entfernen',
    removeTitle: (name) => `${name} entfernen?`,
    removeText: 'Alle Sitzungen enden, alle API-Token werden abgelehnt. Das Audit behält den Namen.',
    sessions: 'Sitzungen',
    everybody: 'Offene Sitzungen',
    sessionsLead: 'Von allen, die neuesten zuerst. Eine beendete wird binnen einer Sekunde abgelehnt.',
    person:
      'Sie haben sich mit Single Sign-on angemeldet: Änderungen brauchen das Passwort eines Administrators.',
  },
};
