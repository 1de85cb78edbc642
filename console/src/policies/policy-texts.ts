import type { Texts } from '../language/language.ts';
import type { TextField } from './policy-draft.ts';

interface PolicyTexts {
  readonly title: string;
  readonly lead: string;
  readonly create: string;
  readonly explain: string;
  readonly filters: string;
  readonly search: string;
  readonly allScopes: string;
  readonly allRealms: string;
  readonly anyState: string;
  readonly active: string;
  readonly inactive: string;
  readonly state: string;
  readonly fields: Readonly<Record<TextField, string>>;
  readonly acts: string;
  readonly none: string;
  readonly noneChosen: string;
  readonly enable: string;
  readonly disable: string;
  readonly remove: string;
  readonly nothingFollows: string;
  readonly understood: string;
  readonly doing: Readonly<Record<'enable' | 'disable' | 'remove', (name: string) => string>>;
}

export const policyTexts: Texts<PolicyTexts> = {
  en: {
    title: 'Policies',
    lead: 'Who may do what, and how tokens behave.',
    create: 'New policy',
    explain: 'Who may do what?',
    filters: 'Filters',
    search: 'Name, user, action or client',
    allScopes: 'All scopes',
    allRealms: 'All realms',
    anyState: 'Active or not',
    active: 'active',
    inactive: 'inactive',
    state: 'State',
    fields: {
      name: 'Name',
      scope: 'Scope',
      action: 'Actions',
      realm: 'Realms',
      user: 'Users',
      client: 'Clients',
      time: 'Times',
    },
    acts: 'Change',
    none: 'There is no policy.',
    noneChosen: 'No policy fits these filters.',
    enable: 'Switch on',
    disable: 'Switch off',
    remove: 'Remove',
    nothingFollows: 'Nobody loses a right or a value.',
    understood: 'I have read this and want it so',
    doing: {
      enable: (name) => `Switch on the policy ${name}`,
      disable: (name) => `Switch off the policy ${name}`,
      remove: (name) => `Remove the policy ${name}`,
    },
  },
  de: {
    title: 'Richtlinien',
    lead: 'Wer was darf, und wie sich Token verhalten.',
    create: 'Neue Richtlinie',
    explain: 'Wer darf was?',
    filters: 'Filter',
    search: 'Name, Benutzer, Aktion oder Client',
    allScopes: 'Alle Bereiche',
    allRealms: 'Alle Realms',
    anyState: 'Aktiv oder nicht',
    active: 'aktiv',
    inactive: 'inaktiv',
    state: 'Zustand',
    fields: {
      name: 'Name',
      scope: 'Bereich',
      action: 'Aktionen',
      realm: 'Realms',
      user: 'Benutzer',
      client: 'Clients',
      time: 'Zeiten',
    },
    acts: 'Ändern',
    none: 'Es gibt keine Richtlinie.',
    noneChosen: 'Keine Richtlinie passt zu diesen Filtern.',
    enable: 'Einschalten',
    disable: 'Ausschalten',
    remove: 'Entfernen',
    nothingFollows: 'Niemand verliert ein Recht oder einen Wert.',
    understood: 'Ich habe das gelesen und will es so',
    doing: {
      enable: (name) => `Richtlinie ${name} einschalten`,
      disable: (name) => `Richtlinie ${name} ausschalten`,
      remove: (name) => `Richtlinie ${name} entfernen`,
    },
  },
};
