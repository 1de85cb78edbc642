import { ServiceError } from '../kernel/errors.ts';
import { parseJsonObject } from '../kernel/text.ts';
import { type AuditRow, type Kinds, type MemberKind, ROW_KINDS } from './audit-row.ts';
import { EXPORT_FORM, EXTRACT_FORM } from './export-trail.ts';
import { type JournalRecord, RECORD_KINDS } from './journal-record.ts';
import type { AuditSnapshot } from './audit-snapshot.ts';
import type { InstallationKey } from './signing-key.ts';

const AT_ONCE = 1_000;

/** An export while it is read: its keys first, then its journal and rows. */
export interface ExportedTrail {
  readonly snapshot: AuditSnapshot;
  /** The keys that the file names. They are as trustworthy as the transport of the file. */
  readonly keys: readonly InstallationKey[];
  /** True if it holds all rows, false if only those of a period. */
  readonly isWhole: boolean;
}

type ExportLine = Readonly<Record<string, unknown>>;

/**
 * Reads JSON lines of `exportTrail`, once and in order.
 * @throws ServiceError 'request.malformed' when the text is no export, or ends too early
 */
export async function readExportedTrail(text: AsyncIterable<string>): Promise<ExportedTrail> {
  const lines = text[Symbol.asyncIterator]();
  const head = await nextLine(lines);
  if (head?.form === EXTRACT_FORM) {
    throw malformed('The file is an extract of an audit trail, which cannot be verified');
  }
  if (head?.form !== EXPORT_FORM || !Array.isArray(head.keys)) {
    throw malformed('The file is no export of an audit trail as JSON lines');
  }
  const keys = (head.keys as ExportLine[]).map((key) => ({
    keyId: textOf(key, 'keyId'),
    publicKey: bytesOf(key, 'publicKey'),
  }));
  return {
    snapshot: exportedSnapshot(lines),
    keys,
    isWhole: head.since === null && head.until === null,
  };
}

function exportedSnapshot(lines: AsyncIterator<string>): AuditSnapshot {
  let ahead: ExportLine | undefined;
  const readLines = async function* <T>(name: string, kinds: Kinds<T>): AsyncGenerator<readonly T[]> {
    let some: T[] = [];
    for (;;) {
      ahead ??= await nextLine(lines);
      const one = ahead?.[name];
      if (one === undefined) {
        break;
      }
      some.push(readLine(kinds, one as ExportLine));
      ahead = undefined;
      if (some.length === AT_ONCE) {
        yield some;
        some = [];
      }
    }
    yield some;
  };
  return {
    records: () => readLines<JournalRecord>('record', RECORD_KINDS),
    rows: async function* () {
      let rows = 0;
      for await (const some of readLines<AuditRow>('row', ROW_KINDS)) {
        rows += some.length;
        yield some;
      }
      if ((ahead?.end as ExportLine | undefined)?.rows !== rows) {
        throw malformed('The export ends too early, or lines are out of order');
      }
    },
  };
}

async function nextLine(lines: AsyncIterator<string>): Promise<ExportLine | undefined> {
  const next = await lines.next();
  if (next.done === true) {
    return undefined;
  }
  const line = parseJsonObject(next.value);
  if (line === undefined) {
    throw malformed('A line of the export is no JSON object');
  }
  return line;
}

function readLine<Kept>(kinds: Kinds<Kept>, line: ExportLine): Kept {
  const read = Object.entries<MemberKind>(kinds).map(([name, kind]) => [
    name,
    kind === 'number' ? numberOf(line, name) : kind === 'bytes' ? bytesOf(line, name) : textOf(line, name),
  ]);
  return Object.fromEntries(read) as Kept;
}

function textOf(line: ExportLine, name: string): string {
  const value = line[name];
  if (typeof value !== 'string') {
    throw malformed(`A line of the export has no text '${name}'`);
  }
  return value;
}

function numberOf(line: ExportLine, name: string): number {
  const value = line[name];
  if (typeof value !== 'number') {
    throw malformed(`A line of the export has no number '${name}'`);
  }
  return value;
}

function bytesOf(line: ExportLine, name: string): Buffer {
  return Buffer.from(textOf(line, name), 'base64');
}

function malformed(message: string): ServiceError {
  return new ServiceError('request.malformed', message);
}
