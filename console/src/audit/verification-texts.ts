import type { ValueOf } from '../api/call.ts';
import type { Texts } from '../language/language.ts';

type Verification = NonNullable<ValueOf<'/admin/audit/verification'>['verification']>;
type Finding = Verification['listed_findings'][number];

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
  readonly checked: (rows: string, checkpoints: string, time: string) => string;
  readonly failed: string;
  readonly interrupted: string;
  readonly ended: (time: string) => string;
  readonly meant: string;
  readonly required: (checkpoint: string) => string;
  readonly findings: string;
  readonly moreFindings: (count: string) => string;
  readonly kinds: Readonly<Record<Finding['kind'], string>>;
  readonly row: (finding: Finding) => string;
  readonly oneCheckpoint: (finding: Finding) => string;
  readonly forAuditors: string;
  readonly newest: string;
  readonly newestHint: string;
  readonly key: string;
  readonly keyHint: string;
}

const en: VerificationTexts = {
  title: 'Verify the audit',
  lead: 'Checks every row against its signed checkpoint. The server works in the background: you may leave this page.',
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
  checked: (rows, checkpoints, time) =>
    `Rows checked: ${rows}; checkpoints: ${checkpoints}; as they were on ${time}.`,
  failed: 'The verification has failed.',
  interrupted: 'The verification was interrupted: its server stopped. Begin another one.',
  ended: (time) => `Ended ${time}`,
  meant:
    'No row was changed, removed or inserted since its checkpoint. The newest checkpoints and their rows could have been cut off.',
  required: (checkpoint) => `The checkpoint ${checkpoint} was looked for.`,
  findings: 'Findings',
  moreFindings: (count) => `${count} more findings are not listed: tankeeper audit verify lists them.`,
  kinds: {
    changed: 'Changed',
    removed: 'Removed',
    inserted: 'Inserted',
  },
  row: ({ id }) => `row ${id ?? ''}`.trimEnd(),
  oneCheckpoint: ({ id }) => `checkpoint ${id ?? ''}`.trimEnd(),
  forAuditors: 'For auditors',
  newest: 'Newest checkpoint',
  newestHint: 'Note it elsewhere: a later verification with it notices rows that were cut off.',
  key: 'Public key of the installation',
  keyHint: 'Give it to the auditor separately from an exported file.',
};

const de: VerificationTexts = {
  title: 'Audit prüfen',
  lead: 'Prüft jede Zeile gegen ihren signierten Prüfpunkt. Der Server arbeitet im Hintergrund: Sie können diese Seite verlassen.',
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
  checked: (rows, checkpoints, time) =>
    `Geprüfte Zeilen: ${rows}; Prüfpunkte: ${checkpoints}; nach dem Stand vom ${time}.`,
  failed: 'Die Prüfung ist gescheitert.',
  interrupted: 'Die Prüfung wurde unterbrochen: Ihr Server wurde beendet. Beginnen Sie eine neue.',
  ended: (time) => `Beendet ${time}`,
  meant:
    'Keine Zeile wurde seit ihrem Prüfpunkt geändert, entfernt oder eingefügt. Die neuesten Prüfpunkte und ihre Zeilen könnten abgeschnitten worden sein.',
  required: (checkpoint) => `Der Prüfpunkt ${checkpoint} wurde gesucht.`,
  findings: 'Befunde',
  moreFindings: (count) =>
    `${count} weitere Befunde sind nicht aufgeführt: tankeeper audit verify führt sie auf.`,
  kinds: {
    changed: 'Geändert',
    removed: 'Entfernt',
    inserted: 'Eingefügt',
  },
  row: ({ id }) => `Zeile ${id ?? ''}`.trimEnd(),
  oneCheckpoint: ({ id }) => `Prüfpunkt ${id ?? ''}`.trimEnd(),
  forAuditors: 'Für Prüfer',
  newest: 'Neuester Prüfpunkt',
  newestHint:
    'Notieren Sie ihn an anderer Stelle: Eine spätere Prüfung mit ihm bemerkt abgeschnittene Zeilen.',
  key: 'Öffentlicher Schlüssel der Installation',
  keyHint: 'Geben Sie ihn dem Prüfer getrennt von einer exportierten Datei.',
};

export const verificationTexts: Texts<VerificationTexts> = { en, de };
