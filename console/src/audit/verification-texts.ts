import type { ValueOf } from '../api/call.ts';
import type { Texts } from '../language/language.ts';

type Verification = NonNullable<ValueOf<'/audit/verification'>['verification']>;
type Finding = Verification['listed'][number];

interface VerificationTexts {
  readonly title: string;
  readonly lead: string;
  readonly begin: string;
  readonly checkpoint: string;
  readonly checkpointHint: string;
  readonly withCheckpoint: string;
  readonly never: string;
  readonly running: string;
  readonly progress: (rows: string, of: string) => string;
  readonly begunBy: (name: string, time: string) => string;
  readonly sound: string;
  readonly unsound: (count: number, text: string) => string;
  readonly checked: (rows: string, records: string, time: string) => string;
  readonly failed: string;
  readonly interrupted: string;
  readonly ended: (time: string) => string;
  readonly meant: string;
  readonly required: (checkpoint: string) => string;
  readonly findings: string;
  readonly moreFindings: (count: string) => string;
  readonly kinds: Readonly<Record<Finding['kind'], string>>;
  readonly row: (finding: Finding) => string;
  readonly record: (finding: Finding) => string;
  readonly forAuditors: string;
  readonly newest: string;
  readonly newestHint: string;
  readonly key: string;
  readonly keyHint: string;
}

const en: VerificationTexts = {
  title: 'Verify the audit',
  lead: 'Checks the signature and the place of every row. The server works in the background: you may leave this page.',
  begin: 'Verify now',
  checkpoint: 'Checkpoint (optional)',
  checkpointHint:
    '64 hexadecimal digits, as a server has logged it. It must be there: otherwise the end was cut off.',
  withCheckpoint: 'With a checkpoint of the log',
  never: 'No server has verified the audit yet.',
  running: 'Verification is running.',
  progress: (rows, of) => `${rows} of about ${of} rows`,
  begunBy: (name, time) => `Begun by ${name}, ${time}`,
  sound: 'The audit is whole.',
  unsound: (count, text) => (count === 1 ? 'One finding.' : `${text} findings.`),
  checked: (rows, records, time) =>
    `${rows} rows and the journal of signatures (records: ${records}) were checked, as they were on ${time}.`,
  failed: 'The verification has failed.',
  interrupted: 'The verification was interrupted: its server stopped. Begin another one.',
  ended: (time) => `Ended ${time}`,
  meant:
    'No row was changed, removed, inserted or reordered. Rows behind the newest checkpoint could have been cut off.',
  required: (checkpoint) => `The checkpoint ${checkpoint} was looked for.`,
  findings: 'Findings',
  moreFindings: (count) => `${count} more findings are not listed: tankeeper audit verify lists them.`,
  kinds: {
    changed: 'Changed',
    removed: 'Removed',
    inserted: 'Inserted',
    reordered: 'Reordered',
  },
  row: ({ id, writer, lane, seq }) =>
    `row ${id ?? ''} (writer ${writer ?? '?'}, lane ${lane ?? '?'}, place ${seq ?? '?'})`,
  record: ({ id }) => `record ${id ?? ''} of the journal`,
  forAuditors: 'For auditors',
  newest: 'Newest checkpoint',
  newestHint: 'Note it elsewhere: a later verification with it notices rows that were cut off.',
  key: 'Public key of the installation',
  keyHint: 'Give it to the auditor separately from an exported file.',
};

const de: VerificationTexts = {
  title: 'Audit prüfen',
  lead: 'Prüft Signatur und Platz jeder Zeile. Der Server arbeitet im Hintergrund: Sie können diese Seite verlassen.',
  begin: 'Jetzt prüfen',
  checkpoint: 'Prüfpunkt (optional)',
  checkpointHint:
    '64 hexadezimale Ziffern, wie ein Server sie protokolliert hat. Er muss vorhanden sein: Sonst wurde das Ende abgeschnitten.',
  withCheckpoint: 'Mit einem Prüfpunkt aus dem Log',
  never: 'Noch kein Server hat das Audit geprüft.',
  running: 'Die Prüfung läuft.',
  progress: (rows, of) => `${rows} von etwa ${of} Zeilen`,
  begunBy: (name, time) => `Begonnen von ${name}, ${time}`,
  sound: 'Das Audit ist vollständig und unverändert.',
  unsound: (count, text) => (count === 1 ? 'Ein Befund.' : `${text} Befunde.`),
  checked: (rows, records, time) =>
    `${rows} Zeilen und das Journal der Signaturen (Einträge: ${records}) wurden geprüft, nach dem Stand vom ${time}.`,
  failed: 'Die Prüfung ist gescheitert.',
  interrupted: 'Die Prüfung wurde unterbrochen: Ihr Server wurde beendet. Beginnen Sie eine neue.',
  ended: (time) => `Beendet ${time}`,
  meant:
    'Keine Zeile wurde geändert, entfernt, eingefügt oder umgestellt. Zeilen nach dem neuesten Prüfpunkt könnten abgeschnitten worden sein.',
  required: (checkpoint) => `Der Prüfpunkt ${checkpoint} wurde gesucht.`,
  findings: 'Befunde',
  moreFindings: (count) =>
    `${count} weitere Befunde sind nicht aufgeführt: tankeeper audit verify führt sie auf.`,
  kinds: {
    changed: 'Geändert',
    removed: 'Entfernt',
    inserted: 'Eingefügt',
    reordered: 'Umgestellt',
  },
  row: ({ id, writer, lane, seq }) =>
    `Zeile ${id ?? ''} (Schreiber ${writer ?? '?'}, Kette ${lane ?? '?'}, Platz ${seq ?? '?'})`,
  record: ({ id }) => `Eintrag ${id ?? ''} des Journals`,
  forAuditors: 'Für Prüfer',
  newest: 'Neuester Prüfpunkt',
  newestHint:
    'Notieren Sie ihn an anderer Stelle: Eine spätere Prüfung mit ihm bemerkt abgeschnittene Zeilen.',
  key: 'Öffentlicher Schlüssel der Installation',
  keyHint: 'Geben Sie ihn dem Prüfer getrennt von einer exportierten Datei.',
};

export const verificationTexts: Texts<VerificationTexts> = { en, de };
