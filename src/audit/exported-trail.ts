import { ServiceError } from '../kernel/errors.ts';
import { parseJsonObject } from '../kernel/parse-json.ts';
import type { AuditRow } from './audit-row.ts';
import { EXTRACT_FORM } from './export-extract.ts';
import { EXPORT_FORM } from './export-trail.ts';
import type { JournalKind, JournalRecord } from './journal-record.ts';
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
  const readLines = async function* <T>(
    name: string,
    read: (line: ExportLine) => T,
  ): AsyncGenerator<readonly T[]> {
    let some: T[] = [];
    for (;;) {
      ahead ??= await nextLine(lines);
      const one = ahead?.[name];
      if (one === undefined) {
        break;
      }
      some.push(read(one as ExportLine));
      ahead = undefined;
      if (some.length === AT_ONCE) {
        yield some;
        some = [];
      }
    }
    yield some;
  };
  return {
    records: () => readLines('record', toRecord),
    rows: async function* () {
      let rows = 0;
      for await (const some of readLines('row', toRow)) {
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

function toRow(line: ExportLine): AuditRow {
  const text = (name: string): string => textOf(line, name);
  return {
    id: text('id'),
    at: text('at'),
    actor: text('actor'),
    action: text('action'),
    subject: text('subject'),
    realm: text('realm'),
    outcome: text('outcome'),
    client: text('client'),
    requestId: text('requestId'),
    transaction: text('transaction'),
    writer: numberOf(line, 'writer'),
    lane: numberOf(line, 'lane'),
    seq: numberOf(line, 'seq'),
    prevHash: bytesOf(line, 'prevHash'),
    hash: bytesOf(line, 'hash'),
    signature: bytesOf(line, 'signature'),
  };
}

function toRecord(line: ExportLine): JournalRecord {
  const text = (name: string): string => textOf(line, name);
  return {
    number: numberOf(line, 'number'),
    at: text('at'),
    kind: text('kind') as JournalKind,
    writer: numberOf(line, 'writer'),
    keyId: text('keyId'),
    body: text('body'),
    prevHash: bytesOf(line, 'prevHash'),
    hash: bytesOf(line, 'hash'),
    signature: bytesOf(line, 'signature'),
  };
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
