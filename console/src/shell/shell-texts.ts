import type { Zone } from '../language/format.ts';
import type { Texts } from '../language/language.ts';
import type { GROUPS } from './console-page.ts';

interface ShellTexts {
  readonly menu: string;
  readonly skip: string;
  readonly navigation: string;
  readonly groups: Readonly<Record<(typeof GROUPS)[number], string>>;
  readonly preferences: string;
  readonly userMenu: (administrator: string) => string;
  readonly account: string;
  readonly signOut: string;
  readonly leaveOpen: string;
  readonly language: string;
  readonly theme: string;
  readonly themes: Readonly<Record<'auto' | 'light' | 'dark', string>>;
  readonly times: string;
  readonly zones: Readonly<Record<Zone, string>>;
  readonly unknownPage: string;
  readonly toStart: string;
  readonly broken: string;
  readonly reload: string;
}

export const shellTexts: Texts<ShellTexts> = {
  en: {
    menu: 'Menu',
    skip: 'To the content',
    navigation: 'Main navigation',
    groups: {
      overview: 'Overview',
      helpdesk: 'Helpdesk',
      security: 'Security',
      system: 'System',
      account: 'Accounts',
    },
    preferences: 'Account and display',
    userMenu: (administrator) => `${administrator}: account and display`,
    account: 'My account',
    signOut: 'Sign out',
    leaveOpen: 'An act on many tokens is still open. Sign out, which ends it and loses its report?',
    language: 'Language',
    theme: 'Colours',
    themes: { auto: 'as the device', light: 'light', dark: 'dark' },
    times: 'Times',
    zones: { local: 'as the device', UTC: 'UTC' },
    unknownPage: 'There is no such page, or you may not see it.',
    toStart: 'To the start page',
    broken: 'This page has failed. What you typed elsewhere is kept.',
    reload: 'Load the page again',
  },
  de: {
    menu: 'Menü',
    skip: 'Zum Inhalt',
    navigation: 'Hauptnavigation',
    groups: {
      overview: 'Übersicht',
      helpdesk: 'Helpdesk',
      security: 'Sicherheit',
      system: 'System',
      account: 'Konten',
    },
    preferences: 'Konto und Anzeige',
    userMenu: (administrator) => `${administrator}: Konto und Anzeige`,
    account: 'Mein Konto',
    signOut: 'Abmelden',
    leaveOpen:
      'Eine Aktion für viele Token ist noch offen. Abmelden? Das beendet sie, und ihr Bericht geht verloren.',
    language: 'Sprache',
    theme: 'Farben',
    themes: { auto: 'wie das Gerät', light: 'hell', dark: 'dunkel' },
    times: 'Zeiten',
    zones: { local: 'wie das Gerät', UTC: 'UTC' },
    unknownPage: 'Diese Seite gibt es nicht, oder Sie dürfen sie nicht sehen.',
    toStart: 'Zur Startseite',
    broken:
      'Auf dieser Seite ist ein Fehler aufgetreten. Was Sie anderswo eingegeben haben, bleibt erhalten.',
    reload: 'Seite neu laden',
  },
};
