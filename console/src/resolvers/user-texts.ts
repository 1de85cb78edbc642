import type { Texts } from '../language/language.ts';

interface UserTexts {
  readonly title: string;
  readonly search: string;
  readonly searchHint: string;
  readonly none: string;
  readonly more: (shown: number, all: string) => string;
  readonly mayNotList: string;
  readonly add: string;
  readonly addTitle: string;
  readonly login: string;
  readonly givenName: string;
  readonly surname: string;
  readonly email: string;
  readonly phone: string;
  readonly password: string;
  readonly newPassword: string;
  readonly passwordHint: string;
  readonly noPasswordHint: string;
  readonly passwordTitle: (login: string) => string;
  readonly removePassword: string;
  readonly removePasswordTitle: (login: string) => string;
  readonly removePasswordText: string;
  readonly save: string;
  readonly acts: string;
  readonly remove: string;
  readonly removeTitle: (login: string) => string;
  readonly removeText: string;
}

export const userTexts: Texts<UserTexts> = {
  en: {
    title: 'Users',
    search: 'Search by login',
    searchHint: 'A part of the login; * stands for any text.',
    none: 'No user matches.',
    more: (shown, all) => `${shown} of ${all} users are shown: narrow the search.`,
    mayNotList: 'You may not list users.',
    add: 'Add a user',
    addTitle: 'Add a user',
    login: 'Login',
    givenName: 'Given name',
    surname: 'Surname',
    email: 'E-mail',
    phone: 'Phone',
    password: 'Set the password',
    newPassword: 'New password',
    passwordHint: '8 characters or more.',
    noPasswordHint: '8 characters or more. Left empty, the user has none.',
    passwordTitle: (login) => `Password of ${login}`,
    removePassword: 'Remove the password',
    removePasswordTitle: (login) => `Remove the password of ${login}?`,
    removePasswordText: 'No password matches afterwards.',
    save: 'Save',
    acts: 'Actions',
    remove: 'Remove',
    removeTitle: (login) => `Remove ${login}?`,
    removeText: 'The user and the password are gone for good.',
  },
  de: {
    title: 'Benutzer',
    search: 'Nach Benutzername suchen',
    searchHint: 'Ein Teil des Benutzernamens; * steht für beliebigen Text.',
    none: 'Kein Benutzer passt.',
    more: (shown, all) => `${shown} von ${all} Benutzern werden gezeigt: Grenzen Sie die Suche ein.`,
    mayNotList: 'Sie dürfen keine Benutzer auflisten.',
    add: 'Benutzer hinzufügen',
    addTitle: 'Benutzer hinzufügen',
    login: 'Benutzername',
    givenName: 'Vorname',
    surname: 'Nachname',
    email: 'E-Mail',
    phone: 'Telefon',
    password: 'Passwort setzen',
    newPassword: 'Neues Passwort',
    passwordHint: 'Mindestens 8 Zeichen.',
    noPasswordHint: 'Mindestens 8 Zeichen. Bleibt das Feld leer, gibt es kein Passwort.',
    passwordTitle: (login) => `Passwort von ${login}`,
    removePassword: 'Passwort entfernen',
    removePasswordTitle: (login) => `Passwort von ${login} entfernen?`,
    removePasswordText: 'Danach passt kein Passwort.',
    save: 'Speichern',
    acts: 'Aktionen',
    remove: 'Entfernen',
    removeTitle: (login) => `${login} entfernen?`,
    removeText: 'Benutzer und Passwort sind danach endgültig weg.',
  },
};
