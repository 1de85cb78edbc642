import type { Texts } from '../language/language.ts';
import type { OutcomeGroup } from './overview-figures.ts';

type TokenStatus = 'total' | 'active' | 'inactive' | 'assigned' | 'unassigned' | 'locked';
type State = 'available' | 'unavailable' | 'unknown';

interface OverviewTexts {
  readonly title: string;
  readonly tokens: string;
  readonly statuses: Readonly<Record<TokenStatus, string>>;
  readonly activeUsers: string;
  readonly installation: string;
  readonly licence: string;
  readonly noLicence: string;
  readonly licenceUse: (active: string, licensed: string, unit: 'user' | 'token' | null) => string;
  readonly licenceEnds: (at: string) => string;
  readonly licenceReasons: Readonly<Record<'unreadable' | 'expired' | 'exceeded', string>>;
  readonly configuration: string;
  readonly inSync: (changed: string) => string;
  readonly notInSync: string;
  readonly encryption: string;
  readonly encrypted: string;
  readonly notEncrypted: string;
  readonly resolvers: string;
  readonly resolver: string;
  readonly state: string;
  readonly states: Readonly<Record<State, string>>;
  readonly lastAnswer: string;
  readonly lastFailure: string;
  readonly users: string;
  readonly counted: (at: string) => string;
  readonly notCounted: string;
  readonly noResolvers: string;
  readonly showAll: (count: string) => string;
  readonly responses: string;
  readonly responsesMeaning: string;
  readonly noResponses: string;
  readonly groups: Readonly<Record<OutcomeGroup, string>>;
  readonly outcome: string;
  readonly outcomes: Readonly<Record<string, string>>;
  readonly number: string;
  readonly latency: string;
  readonly latencyMeaning: string;
  readonly half: string;
  readonly most: string;
  readonly milliseconds: (value: string) => string;
  readonly responsesCaption: string;
  readonly latencyCaption: string;
  readonly responsesChart: string;
  readonly latencyChart: string;
  readonly asTable: string;
  readonly time: string;
  readonly realms: string;
  readonly realm: string;
  readonly noRealm: string;
  readonly search: string;
  readonly shown: (shown: string, found: string) => string;
  readonly noRealmFound: string;
  readonly realmChart: string;
  readonly nothing: string;
}

export const overviewTexts: Texts<OverviewTexts> = {
  en: {
    title: 'Overview',
    tokens: 'Tokens',
    statuses: {
      total: 'all',
      active: 'active',
      inactive: 'disabled',
      assigned: 'assigned',
      unassigned: 'unassigned',
      locked: 'locked',
    },
    activeUsers: 'Active users',
    installation: 'Installation',
    licence: 'Licence',
    noLicence: 'none: community support',
    licenceUse: (active, licensed, unit) =>
      `${active} of ${licensed} ${unit === 'user' ? 'users' : 'tokens'} in use`,
    licenceEnds: (at) => `valid until ${at}`,
    licenceReasons: {
      unreadable: 'it cannot be read',
      expired: 'it has expired',
      exceeded: 'more are in use than it allows',
    },
    configuration: 'Configuration',
    inSync: (changed) => `in step with the database; last changed ${changed}`,
    notInSync: 'this server does not use the configuration of the database yet',
    encryption: 'Encryption of secrets',
    encrypted: 'works',
    notEncrypted: 'does not work',
    resolvers: 'Resolvers',
    resolver: 'Resolver',
    state: 'State',
    states: { available: 'available', unavailable: 'unavailable', unknown: 'not used yet' },
    lastAnswer: 'Last answer',
    lastFailure: 'Last failure',
    users: 'Users',
    counted: (at) => `counted ${at}`,
    notCounted: 'not counted yet',
    noResolvers: 'There are no resolvers.',
    showAll: (count) => `Show all ${count}`,
    responses: 'Responses',
    responsesMeaning: 'of the last hour, in all realms, each minute',
    noResponses: 'No response in the last hour.',
    groups: {
      accepted: 'accepted',
      wrong: 'wrong',
      over: 'transaction over',
      blocked: 'token locked or disabled',
      other: 'no such transaction, others',
    },
    outcome: 'Outcome',
    outcomes: {
      accepted: 'accepted',
      wrong: 'wrong',
      exhausted: 'wrong, and the last attempt of the transaction',
      locked: 'the token is locked',
      closed: 'the transaction is closed',
      dropped: 'the transaction was dropped for newer ones',
      expired: 'the transaction has expired',
      disabled: 'the token is disabled',
      unverifiable: 'the token cannot verify responses',
      declined: 'declined on the device',
      reported: 'reported on the device: this was not me',
      unknown: 'there is no such transaction',
      'nothing open': 'no transaction is open',
    },
    number: 'Number',
    latency: 'Time for verification',
    latencyMeaning: 'estimated from classes of durations',
    half: 'half of them within',
    most: '95 % within',
    milliseconds: (value) => `${value} ms`,
    responsesCaption: 'Number in a minute',
    latencyCaption: 'Time for verification in milliseconds',
    responsesChart: 'Chart: responses of the last hour by minute and outcome',
    latencyChart: 'Chart: milliseconds for verification by minute, half of the responses and 95 % of them',
    asTable: 'As a table',
    time: 'Time',
    realms: 'Realms',
    realm: 'Realm',
    noRealm: 'no realm',
    search: 'Search realms',
    shown: (shown, found) => `Shown: ${shown} of ${found}, those with most tokens first`,
    noRealmFound: 'No realm has this in its name.',
    realmChart: 'Chart: active and disabled tokens of the shown realms',
    nothing: 'You may not see any part of the overview.',
  },
  de: {
    title: 'Überblick',
    tokens: 'Token',
    statuses: {
      total: 'alle',
      active: 'aktiv',
      inactive: 'deaktiviert',
      assigned: 'zugewiesen',
      unassigned: 'nicht zugewiesen',
      locked: 'gesperrt',
    },
    activeUsers: 'Aktive Benutzer',
    installation: 'Installation',
    licence: 'Lizenz',
    noLicence: 'keine: Unterstützung durch die Community',
    licenceUse: (active, licensed, unit) =>
      `${active} von ${licensed} ${unit === 'user' ? 'Benutzern' : 'Token'} in Gebrauch`,
    licenceEnds: (at) => `gültig bis ${at}`,
    licenceReasons: {
      unreadable: 'sie ist nicht lesbar',
      expired: 'sie ist abgelaufen',
      exceeded: 'es sind mehr in Gebrauch, als sie erlaubt',
    },
    configuration: 'Konfiguration',
    inSync: (changed) => `auf dem Stand der Datenbank; zuletzt geändert ${changed}`,
    notInSync: 'dieser Server verwendet die Konfiguration der Datenbank noch nicht',
    encryption: 'Verschlüsselung der Geheimnisse',
    encrypted: 'funktioniert',
    notEncrypted: 'funktioniert nicht',
    resolvers: 'Resolver',
    resolver: 'Resolver',
    state: 'Zustand',
    states: { available: 'erreichbar', unavailable: 'nicht erreichbar', unknown: 'noch nicht verwendet' },
    lastAnswer: 'Letzte Antwort',
    lastFailure: 'Letzter Ausfall',
    users: 'Benutzer',
    counted: (at) => `gezählt ${at}`,
    notCounted: 'noch nicht gezählt',
    noResolvers: 'Es gibt keine Resolver.',
    showAll: (count) => `Alle ${count} zeigen`,
    responses: 'Antworten',
    responsesMeaning: 'der letzten Stunde, in allen Realms, je Minute',
    noResponses: 'Keine Antwort in der letzten Stunde.',
    groups: {
      accepted: 'angenommen',
      wrong: 'falsch',
      over: 'Transaktion vorbei',
      blocked: 'Token gesperrt oder deaktiviert',
      other: 'keine solche Transaktion, andere',
    },
    outcome: 'Ergebnis',
    outcomes: {
      accepted: 'angenommen',
      wrong: 'falsch',
      exhausted: 'falsch, beim letzten Versuch der Transaktion',
      locked: 'das Token ist gesperrt',
      closed: 'die Transaktion ist abgeschlossen',
      dropped: 'die Transaktion wurde durch neuere verdrängt',
      expired: 'die Transaktion ist abgelaufen',
      disabled: 'das Token ist deaktiviert',
      unverifiable: 'das Token kann keine Antworten prüfen',
      declined: 'auf dem Gerät abgelehnt',
      reported: 'auf dem Gerät gemeldet: Das war ich nicht',
      unknown: 'es gibt keine solche Transaktion',
      'nothing open': 'keine Transaktion ist offen',
    },
    number: 'Anzahl',
    latency: 'Dauer der Prüfung',
    latencyMeaning: 'geschätzt aus Klassen von Dauern',
    half: 'die Hälfte innerhalb von',
    most: '95 % innerhalb von',
    milliseconds: (value) => `${value} ms`,
    responsesCaption: 'Anzahl in einer Minute',
    latencyCaption: 'Dauer der Prüfung in Millisekunden',
    responsesChart: 'Diagramm: Antworten der letzten Stunde nach Minute und Ergebnis',
    latencyChart: 'Diagramm: Millisekunden der Prüfung je Minute, für die Hälfte und 95 % der Antworten',
    asTable: 'Als Tabelle',
    time: 'Zeit',
    realms: 'Realms',
    realm: 'Realm',
    noRealm: 'kein Realm',
    search: 'Realms suchen',
    shown: (shown, found) => `Gezeigt: ${shown} von ${found}, die mit den meisten Token zuerst`,
    noRealmFound: 'Kein Realm hat das im Namen.',
    realmChart: 'Diagramm: aktive und deaktivierte Token der gezeigten Realms',
    nothing: 'Sie dürfen keinen Teil des Überblicks sehen.',
  },
};
