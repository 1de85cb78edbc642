import type { Texts } from '../language/language.ts';

interface RealmTexts {
  readonly title: string;
  readonly lead: string;
  readonly add: string;
  readonly none: string;
  readonly isDefault: string;
  readonly resolvers: string;
  readonly edit: string;
  readonly makeDefault: string;
  readonly noDefault: string;
  readonly remove: string;
  readonly editTitle: (name: string) => string;
  readonly addTitle: string;
  readonly name: string;
  readonly nameHint: string;
  readonly order: string;
  readonly up: (name: string) => string;
  readonly down: (name: string) => string;
  readonly leaveOut: (name: string) => string;
  readonly addResolver: string;
  readonly choose: string;
  readonly needsOne: string;
  readonly noResolvers: string;
  readonly save: string;
  readonly removeTitle: (name: string) => string;
  readonly removeText: string;
  readonly defaultTitle: (name: string) => string;
  readonly defaultText: string;
  readonly noDefaultTitle: string;
  readonly noDefaultText: string;
}

export const realmTexts: Texts<RealmTexts> = {
  en: {
    title: 'Realms',
    lead: 'A realm is the name for the users of one or more resolvers. Policies and tokens refer to it.',
    add: 'New realm',
    none: 'There is no realm yet. A realm needs a resolver: make that first.',
    isDefault: 'default',
    resolvers: 'Resolvers',
    edit: 'Edit',
    makeDefault: 'Make default',
    noDefault: 'Not the default any more',
    remove: 'Remove',
    editTitle: (name) => `Realm ${name}`,
    addTitle: 'New realm',
    name: 'Name',
    nameHint: 'Small letters, digits, dots, dashes and underscores.',
    order: 'Resolvers, in the order in which a login is looked for',
    up: (name) => `${name}: up`,
    down: (name) => `${name}: down`,
    leaveOut: (name) => `${name}: leave out`,
    addResolver: 'Add a resolver',
    choose: 'Choose …',
    needsOne: 'Choose one resolver at least.',
    noResolvers: 'There is no resolver yet.',
    save: 'Save',
    removeTitle: (name) => `Remove the realm ${name}?`,
    removeText: 'Its users and tokens stay; the tokens leave this realm.',
    defaultTitle: (name) => `Make ${name} the default realm?`,
    defaultText: 'Users who are named without a realm are looked for in it.',
    noDefaultTitle: 'Have no default realm?',
    noDefaultText: 'Users must then be named with their realm.',
  },
  de: {
    title: 'Realms',
    lead: 'Ein Realm ist der Name für die Benutzer eines oder mehrerer Resolver. Richtlinien und Token beziehen sich darauf.',
    add: 'Neuer Realm',
    none: 'Es gibt noch keinen Realm. Ein Realm braucht einen Resolver: Legen Sie zuerst diesen an.',
    isDefault: 'Standard',
    resolvers: 'Resolver',
    edit: 'Bearbeiten',
    makeDefault: 'Zum Standard machen',
    noDefault: 'Nicht mehr Standard',
    remove: 'Entfernen',
    editTitle: (name) => `Realm ${name}`,
    addTitle: 'Neuer Realm',
    name: 'Name',
    nameHint: 'Kleinbuchstaben, Ziffern, Punkte, Striche und Unterstriche.',
    order: 'Resolver in der Reihenfolge, in der ein Benutzername gesucht wird',
    up: (name) => `${name}: nach oben`,
    down: (name) => `${name}: nach unten`,
    leaveOut: (name) => `${name}: weglassen`,
    addResolver: 'Resolver hinzufügen',
    choose: 'Auswählen …',
    needsOne: 'Wählen Sie mindestens einen Resolver.',
    noResolvers: 'Es gibt noch keinen Resolver.',
    save: 'Speichern',
    removeTitle: (name) => `Realm ${name} entfernen?`,
    removeText: 'Benutzer und Token bleiben; die Token verlassen diesen Realm.',
    defaultTitle: (name) => `${name} zum Standard-Realm machen?`,
    defaultText: 'Benutzer ohne Angabe eines Realms werden dann hier gesucht.',
    noDefaultTitle: 'Keinen Standard-Realm haben?',
    noDefaultText: 'Benutzer müssen dann mit ihrem Realm genannt werden.',
  },
};
