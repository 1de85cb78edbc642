import type { Texts } from '../language/language.ts';

interface HealthTexts {
  readonly title: string;
  readonly lead: string;
  readonly findings: string;
  readonly noFinding: string;
  readonly findingsLead: (time: string) => string;
  readonly severities: Readonly<Record<'error' | 'warning', string>>;
  readonly remedy: string;
  readonly inDetail: string;
  readonly backup: string;
  readonly lastBackup: (time: string, ago: string) => string;
  readonly noBackup: string;
  readonly webhooks: string;
  readonly webhooksWell: (webhooks: string) => string;
  readonly webhook: string;
  readonly waiting: string;
  readonly givenUp: string;
  readonly lastSuccess: string;
  readonly lastFailure: string;
  readonly resolvers: string;
  readonly resolver: string;
  readonly state: string;
  readonly states: Readonly<Record<'available' | 'unavailable' | 'unknown', string>>;
  readonly noResolver: string;
  readonly responses: string;
  readonly period: string;
  readonly periods: Readonly<Record<'day' | 'week' | 'month', string>>;
  readonly accepted: string;
  readonly refused: string;
  readonly expired: string;
  readonly people: string;
  readonly peopleLead: string;
  readonly nobody: string;
  readonly owner: string;
  readonly token: string;
  readonly refusals: string;
  readonly last: string;
  readonly locked: string;
}

export const healthTexts: Texts<HealthTexts> = {
  en: {
    title: 'Health',
    lead: 'What needs attention, and what would help.',
    findings: 'Findings',
    noFinding: 'Nothing was found.',
    findingsLead: (time) =>
      `As of ${time}, as this server sees it. On its machine, \`tankeeper doctor\` also asks resolvers, compares all counts and verifies the audit.`,
    severities: { error: 'error', warning: 'warning' },
    remedy: 'What helps',
    inDetail: 'In detail',
    backup: 'Backup',
    lastBackup: (time, ago) => `The last \`tankeeper export\` was begun ${ago}, ${time}.`,
    noBackup: 'No `tankeeper export` is recorded in the audit.',
    webhooks: 'Webhooks that fail or have given up',
    webhooksWell: (webhooks) => `None. Webhooks in all: ${webhooks}.`,
    webhook: 'Webhook',
    waiting: 'Waiting',
    givenUp: 'Given up',
    lastSuccess: 'Last success',
    lastFailure: 'Last failure',
    resolvers: 'Resolvers',
    resolver: 'Resolver',
    state: 'At the last use',
    states: { available: 'reached', unavailable: 'unavailable', unknown: 'not used yet' },
    noResolver: 'There is no resolver.',
    responses: 'Responses',
    period: 'Period',
    periods: { day: 'last 24 hours', week: 'last 7 days', month: 'last 30 days' },
    accepted: 'Accepted',
    refused: 'Refused',
    expired: 'Too late',
    people: 'Users with refused responses',
    peopleLead: 'Of the last 24 hours, the newest first.',
    nobody: 'There is none.',
    owner: 'User',
    token: 'Token',
    refusals: 'Refused',
    last: 'Last',
    locked: 'locked',
  },
  de: {
    title: 'Zustand',
    lead: 'Was Aufmerksamkeit braucht, und was hilft.',
    findings: 'Befunde',
    noFinding: 'Es wurde nichts gefunden.',
    findingsLead: (time) =>
      `Stand ${time}, wie dieser Server es sieht. Auf seiner Maschine fragt \`tankeeper doctor\` auch die Resolver, vergleicht alle Zähler und prüft das Audit.`,
    severities: { error: 'Fehler', warning: 'Warnung' },
    remedy: 'Was hilft',
    inDetail: 'Im Einzelnen, in den Worten des Servers',
    backup: 'Sicherung',
    lastBackup: (time, ago) => `Das letzte \`tankeeper export\` begann ${ago}, ${time}.`,
    noBackup: 'Im Audit steht kein `tankeeper export`.',
    webhooks: 'Webhooks, die scheitern oder aufgegeben haben',
    webhooksWell: (webhooks) => `Keiner. Webhooks insgesamt: ${webhooks}.`,
    webhook: 'Webhook',
    waiting: 'Wartend',
    givenUp: 'Aufgegeben',
    lastSuccess: 'Letzter Erfolg',
    lastFailure: 'Letzter Fehler',
    resolvers: 'Resolver',
    resolver: 'Resolver',
    state: 'Bei der letzten Benutzung',
    states: { available: 'erreicht', unavailable: 'nicht erreichbar', unknown: 'noch nicht benutzt' },
    noResolver: 'Es gibt keinen Resolver.',
    responses: 'Antworten',
    period: 'Zeitraum',
    periods: { day: 'letzte 24 Stunden', week: 'letzte 7 Tage', month: 'letzte 30 Tage' },
    accepted: 'Angenommen',
    refused: 'Abgelehnt',
    expired: 'Zu spät',
    people: 'Benutzer mit abgelehnten Antworten',
    peopleLead: 'Aus den letzten 24 Stunden, neueste zuerst.',
    nobody: 'Es gibt keine.',
    owner: 'Benutzer',
    token: 'Token',
    refusals: 'Abgelehnt',
    last: 'Zuletzt',
    locked: 'gesperrt',
  },
};
