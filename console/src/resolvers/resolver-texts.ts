import type { ValueOf } from '../api/call.ts';
import type { Texts } from '../language/language.ts';

type TriedEntries = NonNullable<ValueOf<'/admin/resolver/test'>['found']>;

interface ResolverTexts {
  readonly title: string;
  readonly lead: string;
  readonly add: string;
  readonly addTitle: string;
  readonly none: string;
  readonly realms: string;
  readonly noRealm: string;
  readonly open: string;
  readonly remove: string;
  readonly removeTitle: (name: string) => string;
  readonly removeText: string;
  readonly unknown: (name: string) => string;
  readonly back: string;
  readonly kind: string;
  readonly name: string;
  readonly nameHint: string;
  readonly presets: string;
  readonly presetsHint: string;
  readonly presetsWarning: string;
  readonly needed: string;
  readonly optional: string;
  readonly fallback: (value: string) => string;
  readonly unset: string;
  readonly keepsPassword: string;
  readonly removesPassword: string;
  readonly test: string;
  readonly save: string;
  readonly saveAnyway: string;
  readonly saveHint: string;
  readonly saved: string;
  readonly readable: (users: string) => string;
  readonly entries: (entries: TriedEntries, number: (value: number) => string) => string;
  readonly unreadable: string;
  readonly mayNotList: string;
  readonly find: string;
  readonly findNow: string;
  readonly nobodyFound: string;
  readonly moreFound: string;
  readonly first: string;
  readonly login: string;
  readonly email: string;
  readonly id: (id: string) => string;
}

export const resolverTexts: Texts<ResolverTexts> = {
  en: {
    title: 'Resolvers',
    lead: 'A resolver is a source of users: a directory, a database, a file, or a list that is kept here.',
    add: 'New resolver',
    addTitle: 'New resolver',
    none: 'There is no resolver yet.',
    realms: 'Realms',
    noRealm: 'in no realm',
    open: 'Open',
    remove: 'Remove',
    removeTitle: (name) => `Remove the resolver ${name}?`,
    removeText: 'Its settings are removed for good.',
    unknown: (name) => `There is no resolver ${name}.`,
    back: 'All resolvers',
    kind: 'Kind',
    name: 'Name',
    nameHint: 'Letters, digits, dots, dashes and underscores. It cannot be changed later.',
    presets: 'Fill in as usual for',
    presetsHint:
      'Login, filters, names and the id of users. The address, the base and the account stay as they are.',
    presetsWarning:
      'Login, filters, names and the id of users. Another id than before parts users from their tokens.',
    needed: 'Needed',
    optional: 'Optional',
    fallback: (value) => `Without it: ${value}.`,
    unset: 'not set',
    keepsPassword: 'Left empty, a stored password stays. It is never shown.',
    removesPassword: 'Remove the stored password',
    test: 'Test',
    save: 'Save',
    saveAnyway: 'Save all the same',
    saveHint: 'Saving tests the settings first.',
    saved: 'Saved.',
    readable: (users) => `It works. Users: ${users}.`,
    entries: ({ entries, without_id, without_login, sharing_id, passed_over }, number) =>
      `Of ${number(entries)} entries, ${number(without_id)} have no id and ${number(without_login)} no login. ` +
      `${number(sharing_id)} users share an id, and so their tokens.` +
      (passed_over === undefined
        ? ''
        : ` Lines passed over: ${number(passed_over.lines)}, as ${passed_over.first.join(', ')}.`),
    unreadable: 'The users cannot be read',
    find: 'Beginning of a login, name or e-mail address',
    findNow: 'Look',
    nobodyFound: 'Nobody is found so.',
    moreFound: 'There are more.',
    mayNotList: 'You may not list users, so none is shown here.',
    first: 'The first users',
    login: 'Login',
    email: 'E-mail',
    id: (id) => `id ${id}`,
  },
  de: {
    title: 'Resolver',
    lead: 'Ein Resolver ist eine Quelle von Benutzern: ein Verzeichnis, eine Datenbank, eine Datei oder eine Liste, die hier geführt wird.',
    add: 'Neuer Resolver',
    addTitle: 'Neuer Resolver',
    none: 'Es gibt noch keinen Resolver.',
    realms: 'Realms',
    noRealm: 'in keinem Realm',
    open: 'Öffnen',
    remove: 'Entfernen',
    removeTitle: (name) => `Resolver ${name} entfernen?`,
    removeText: 'Seine Einstellungen sind danach endgültig weg.',
    unknown: (name) => `Es gibt keinen Resolver ${name}.`,
    back: 'Alle Resolver',
    kind: 'Art',
    name: 'Name',
    nameHint: 'Buchstaben, Ziffern, Punkte, Striche und Unterstriche. Später nicht mehr änderbar.',
    presets: 'Ausfüllen wie üblich bei',
    presetsHint:
      'Login, Filter, Namen und die Kennung der Benutzer. Adresse, Basis und Konto bleiben, wie sie sind.',
    presetsWarning:
      'Login, Filter, Namen und die Kennung der Benutzer. Eine andere Kennung als bisher trennt Benutzer von ihren Token.',
    needed: 'Nötig',
    optional: 'Optional',
    fallback: (value) => `Ohne Angabe: ${value}.`,
    unset: 'nicht gesetzt',
    keepsPassword: 'Bleibt das Feld leer, gilt das gespeicherte Passwort weiter. Es wird nie angezeigt.',
    removesPassword: 'Gespeichertes Passwort entfernen',
    test: 'Testen',
    save: 'Speichern',
    saveAnyway: 'Trotzdem speichern',
    saveHint: 'Vor dem Speichern werden die Einstellungen getestet.',
    saved: 'Gespeichert.',
    readable: (users) => `Es funktioniert. Benutzer: ${users}.`,
    entries: ({ entries, without_id, without_login, sharing_id, passed_over }, number) =>
      `Von ${number(entries)} Einträgen haben ${number(without_id)} keine Id und ${number(without_login)} keinen Benutzernamen. ` +
      `${number(sharing_id)} Benutzer teilen sich eine Id und damit die Token.` +
      (passed_over === undefined
        ? ''
        : ` Übergangene Zeilen: ${number(passed_over.lines)}, etwa ${passed_over.first.join(', ')}.`),
    unreadable: 'Die Benutzer lassen sich nicht lesen',
    find: 'Anfang von Login, Name oder E-Mail-Adresse',
    findNow: 'Nachsehen',
    nobodyFound: 'So wird niemand gefunden.',
    moreFound: 'Es gibt mehr.',
    mayNotList: 'Sie dürfen keine Benutzer auflisten, daher wird hier keiner gezeigt.',
    first: 'Die ersten Benutzer',
    login: 'Benutzername',
    email: 'E-Mail',
    id: (id) => `Kennung ${id}`,
  },
};
