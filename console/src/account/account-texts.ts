import type { Texts } from '../language/language.ts';

interface AccountTexts {
  readonly title: string;
  readonly noRights: string;
  readonly lead: (name: string) => string;
  readonly person: string;
  readonly password: string;
  readonly passwordLead: string;
  readonly present: string;
  readonly next: string;
  readonly again: string;
  readonly differ: string;
  readonly change: string;
  readonly passkeys: string;
  readonly passkeysLead: string;
  readonly noPasskeys: string;
  readonly passkeysOff: Readonly<Record<'unset' | 'address' | 'browser', string>>;
  readonly name: string;
  readonly created: string;
  readonly lastUsed: string;
  readonly never: string;
  readonly remove: string;
  readonly removeTitle: (name: string) => string;
  readonly removeText: string;
  readonly newName: string;
  readonly newNameHint: string;
  readonly add: string;
  readonly notMade: string;
  readonly sessions: string;
}

export const accountTexts: Texts<AccountTexts> = {
  en: {
    noRights:
      'No policy gives you a right to people, tokens or the system. Ask whoever may change policies (system:write).',
    title: 'My account',
    lead: (name) => `Signed in as ${name}.`,
    person: 'You signed in by single sign-on: password and second factor are those of the identity provider.',
    password: 'Own password',
    passwordLead: 'A new password ends all of your sessions, this one too. Then sign in with it.',
    present: 'Present password',
    next: 'New password',
    again: 'New password, again',
    differ: 'The two new passwords differ.',
    change: 'Change the password',
    passkeys: 'Passkeys',
    passkeysLead:
      'With a passkey, the password alone is not enough any more. The first one takes the place of a token as second factor.',
    noPasskeys: 'No passkeys. Ask an operator for a token as second factor, or add a passkey here.',
    passkeysOff: {
      unset: 'This server has no passkeys: its operator has not set PUBLIC_URL.',
      address:
        'This server has no passkeys: PUBLIC_URL has an IP address, and browsers bind them to a name only.',
      browser: 'This browser has no passkeys at this address.',
    },
    name: 'Name',
    created: 'Set up',
    lastUsed: 'Last used',
    never: 'never',
    remove: 'Remove',
    removeTitle: (name) => `Remove the passkey ${name}?`,
    removeText: 'It signs nobody in any more. All of your other sessions end.',
    newName: 'Name of the new passkey',
    newNameHint: 'Such as laptop or phone.',
    add: 'Add a passkey',
    notMade: 'No passkey was made: it was cancelled, took too long, or the device has one already.',
    sessions: 'Sessions',
  },
  de: {
    noRights:
      'Keine Richtlinie gibt Ihnen ein Recht auf Personen, Token oder das System. Bitten Sie jemanden, der Richtlinien ändern darf (system:write).',
    title: 'Mein Konto',
    lead: (name) => `Angemeldet als ${name}.`,
    person:
      'Sie haben sich mit Single Sign-on angemeldet: Passwort und zweiter Faktor sind die des Anmeldedienstes.',
    password: 'Eigenes Passwort',
    passwordLead:
      'Ein neues Passwort beendet alle Ihre Sitzungen, auch diese. Melden Sie sich dann damit an.',
    present: 'Bisheriges Passwort',
    next: 'Neues Passwort',
    again: 'Neues Passwort, noch einmal',
    differ: 'Die beiden neuen Passwörter sind verschieden.',
    change: 'Passwort ändern',
    passkeys: 'Passkeys',
    passkeysLead:
      'Mit einem Passkey reicht das Passwort allein nicht mehr. Der erste ersetzt ein Token als zweiten Faktor.',
    noPasskeys:
      'Keine Passkeys. Bitten Sie den Betrieb um ein Token als zweiten Faktor oder fügen Sie hier einen Passkey hinzu.',
    passkeysOff: {
      unset: 'Dieser Server hat keine Passkeys: PUBLIC_URL ist nicht gesetzt.',
      address:
        'Dieser Server hat keine Passkeys: PUBLIC_URL hat eine IP-Adresse, und Browser binden sie nur an einen Namen.',
      browser: 'Dieser Browser hat an dieser Adresse keine Passkeys.',
    },
    name: 'Name',
    created: 'Eingerichtet',
    lastUsed: 'Zuletzt verwendet',
    never: 'nie',
    remove: 'Entfernen',
    removeTitle: (name) => `Passkey ${name} entfernen?`,
    removeText: 'Mit ihm meldet sich niemand mehr an. Alle Ihre anderen Sitzungen enden.',
    newName: 'Name des neuen Passkeys',
    newNameHint: 'Etwa Laptop oder Telefon.',
    add: 'Passkey hinzufügen',
    notMade: 'Kein Passkey wurde angelegt: abgebrochen, zu spät, oder das Gerät hat schon einen.',
    sessions: 'Sitzungen',
  },
};
