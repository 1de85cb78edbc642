import type { Texts } from '../language/language.ts';
import type { Period } from './audit-filters.ts';

interface AuditTexts {
  readonly title: string;
  readonly lead: string;
  readonly filters: string;
  readonly more: string;
  readonly serial: string;
  readonly user: string;
  readonly actor: string;
  readonly action: string;
  readonly outcome: string;
  readonly realm: string;
  readonly client: string;
  readonly request_id: string;
  readonly transaction_id: string;
  readonly period: string;
  readonly periods: Readonly<Record<Period, string>>;
  readonly from: string;
  readonly to: string;
  readonly search: string;
  readonly reset: string;
  readonly rows: string;
  readonly nothing: string;
  readonly nothingYet: string;
  readonly older: string;
  readonly explain: string;
  readonly end: string;
  readonly openEndpoint: string;
  readonly stored: string;
  readonly id: string;
  readonly at: string;
  readonly none: string;
  readonly export: string;
  readonly exportLead: string;
  readonly jsonLines: string;
  readonly csv: string;
  readonly received: (size: string) => string;
  readonly cancel: string;
  readonly verifiable: string;
  readonly notVerifiable: string;
}

const en: AuditTexts = {
  title: 'Audit',
  lead: 'Every act of an administrator and every decision on a response.',
  filters: 'Search',
  more: 'More filters',
  serial: 'Token or other object',
  user: 'Owner of tokens, as login@realm',
  actor: 'Administrator',
  action: 'Action',
  outcome: 'Outcome',
  realm: 'Realm',
  client: 'Address',
  request_id: 'Request',
  transaction_id: 'Transaction',
  period: 'Period',
  periods: {
    '1H': 'last hour',
    '1D': 'last 24 hours',
    '1W': 'last 7 days',
    '30D': 'last 30 days',
    all: 'all time',
    own: 'between two times',
  },
  from: 'From',
  to: 'Until',
  search: 'Search',
  reset: 'Clear',
  rows: 'Rows, newest first',
  nothing: 'No row matches.',
  nothingYet: 'No row matches so far. Older rows are still to be searched.',
  older: 'Older rows',
  explain: 'why, and what would help',
  end: 'These are all rows.',
  openEndpoint: 'without a login',
  stored: 'As stored',
  id: 'Row',
  at: 'Time',
  none: '–',
  export: 'Export',
  exportLead: 'The rows that the search selects, as a file. The export itself is a row of the audit.',
  jsonLines: 'JSON lines',
  csv: 'CSV for spreadsheets',
  received: (size) => `${size} received`,
  cancel: 'Cancel',
  verifiable: 'The file can be verified by `tankeeper audit verify --file`.',
  notVerifiable:
    'The file holds selected rows, which nobody can verify as a whole. JSON lines with no filter but the period can be verified.',
};

const de: AuditTexts = {
  title: 'Audit',
  lead: 'Jede Handlung von Administratoren und jede Entscheidung über eine Antwort.',
  filters: 'Suche',
  more: 'Weitere Filter',
  serial: 'Token oder anderer Gegenstand',
  user: 'Inhaber von Token, als Login@Realm',
  actor: 'Administrator',
  action: 'Aktion',
  outcome: 'Ergebnis',
  realm: 'Realm',
  client: 'Adresse',
  request_id: 'Anfrage',
  transaction_id: 'Transaktion',
  period: 'Zeitraum',
  periods: {
    '1H': 'letzte Stunde',
    '1D': 'letzte 24 Stunden',
    '1W': 'letzte 7 Tage',
    '30D': 'letzte 30 Tage',
    all: 'gesamte Zeit',
    own: 'zwischen zwei Zeitpunkten',
  },
  from: 'Von',
  to: 'Bis',
  search: 'Suchen',
  reset: 'Leeren',
  rows: 'Zeilen, neueste zuerst',
  nothing: 'Keine Zeile passt.',
  nothingYet: 'Bisher passt keine Zeile. Ältere Zeilen sind noch nicht durchsucht.',
  older: 'Ältere Zeilen',
  explain: 'warum, und was hilft',
  end: 'Das sind alle Zeilen.',
  openEndpoint: 'ohne Anmeldung',
  stored: 'Wie gespeichert',
  id: 'Zeile',
  at: 'Zeit',
  none: '–',
  export: 'Export',
  exportLead: 'Die Zeilen, die die Suche auswählt, als Datei. Der Export ist selbst eine Zeile des Audits.',
  jsonLines: 'JSON-Zeilen',
  csv: 'CSV für Tabellen',
  received: (size) => `${size} empfangen`,
  cancel: 'Abbrechen',
  verifiable: 'Die Datei lässt sich mit `tankeeper audit verify --file` prüfen.',
  notVerifiable:
    'Die Datei enthält ausgewählte Zeilen, die sich nicht als Ganzes prüfen lassen. JSON-Zeilen, die nur nach Zeitraum gefiltert sind, lassen sich prüfen.',
};

export const auditTexts: Texts<AuditTexts> = { en, de };
