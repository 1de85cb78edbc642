import { expiryOf } from '../challenges/challenge.ts';
import { type OcraSettings, readOcraSettings } from '../configuration/settings.ts';
import { isStorable, parseJsonObject } from '../kernel/text.ts';
import type {
  ImportedChallenge,
  ImportTransaction,
  PresentChallenge,
  PresentChallengedToken,
  ChallengedToken,
} from './import-store.ts';
import type { ImportReport, Mapped } from './import-report.ts';
import {
  type LinotpSource,
  textOf,
  type LocalTime,
  faultOfLength,
  flagOf,
  shortened,
  type SourceRow,
  wholeOf,
} from './linotp-source.ts';
import type { TextRepair, LinotpInstallation } from './installation-reading.ts';
import { parseOcraSuite } from '../ocra/suite.ts';

const CHALLENGE_TABLES = ['challenges', 'ocra'] as const;

/** A challenge of LinOTP, with the same and its token of this server, if they are here. */
interface ReadChallenge {
  readonly mapped: Mapped<ImportedChallenge>;
  readonly known: PresentChallenge | undefined;
  readonly token: PresentChallengedToken | undefined;
}

export async function countChallenges(source: LinotpSource): Promise<number> {
  let challenges = 0;
  for (const table of CHALLENGE_TABLES) {
    challenges += await source.count(table);
  }
  return challenges;
}

/** Imports the challenges of imported tokens, in one transaction. */
export class ChallengeImport {
  readonly #deps;

  constructor(parts: {
    readonly source: LinotpSource;
    readonly installation: LinotpInstallation;
    readonly localTime: LocalTime;
    readonly report: ImportReport;
    readonly progress: (done: number) => void;
  }) {
    this.#deps = parts;
  }

  async run(target: ImportTransaction): Promise<void> {
    this.#deps.report.open('challenges');
    const settings = readOcraSettings((await target.present()).settings);
    const { source, progress } = this.#deps;
    let done = 0;
    for (const table of CHALLENGE_TABLES) {
      for await (const rows of source.rows(table)) {
        await this.#store(target, await this.#read(target, table, rows, settings));
        done += rows.length;
        progress(done);
      }
    }
  }

  async #read(
    { challenges }: ImportTransaction,
    table: string,
    rows: readonly SourceRow[],
    settings: OcraSettings,
  ): Promise<readonly ReadChallenge[]> {
    const { localTime, installation } = this.#deps;
    const { repair, repairBinary } = installation;
    const serials = rows.map((row) => repair(textOf(row, 'tokenserial')));
    const tokens = await challenges.tokens([...new Set(serials)].filter((serial) => isStorable(serial)));
    const context = { table, repair, repairBinary, settings, localTime, tokens };
    const mapped = rows.map((row) => mapChallenge(row, context));
    const present = await challenges.find(mapped.map(({ name }) => name).filter((name) => isStorable(name)));
    return mapped.map((one, index) => ({
      mapped: one,
      known: present.get(one.name),
      token: tokens.get(serials[index] ?? ''),
    }));
  }

  async #store(target: ImportTransaction, challenges: readonly ReadChallenge[]): Promise<void> {
    const added: (ImportedChallenge & { tokenId: string })[] = [];
    const changed = new Map<string, ImportedChallenge>();
    for (const { mapped, known, token } of challenges) {
      const { value } = mapped;
      if (value !== undefined && known === undefined) {
        added.push({ ...value, tokenId: token?.id ?? '' });
      } else if (value !== undefined && known !== undefined && isNewer(value, known)) {
        changed.set(known.id, value);
      }
      await this.#report(mapped, known);
    }
    if (added.length > 0) {
      await target.challenges.insert(added);
    }
    await target.challenges.update(changed);
    const audited = [...added, ...changed.values()];
    await target.audit(audited.map(({ transactionId }) => ({ subject: transactionId, outcome: 'imported' })));
  }

  #report(mapped: Mapped<ImportedChallenge>, known: PresentChallenge | undefined): Promise<void> {
    const { report } = this.#deps;
    const { value } = mapped;
    if (value === undefined) {
      return report.left('challenges', mapped, ...mapped.reasons);
    }
    if (known !== undefined && !isSame(value, known)) {
      return report.left('challenges', mapped, 'another challenge has this transaction id here');
    }
    return known !== undefined && !isNewer(value, known)
      ? report.unchanged('challenges', mapped)
      : report.stored('challenges', mapped, known !== undefined);
  }
}

function isSame(value: ImportedChallenge, known: PresentChallenge): boolean {
  return known.serial === value.serial && known.question === value.question;
}

/** @returns true if the source has counted more since. One that is further here, or closed, stays as it is */
function isNewer(value: ImportedChallenge, known: PresentChallenge): boolean {
  const isReceived = value.wrongCount === known.wrongCount && value.receivedTan && !known.receivedTan;
  const isAhead = value.wrongCount > known.wrongCount || isReceived || value.closedBy !== null;
  return isSame(value, known) && known.closedBy === null && isAhead;
}

interface ChallengeContext {
  readonly table: string;
  readonly repair: TextRepair;
  /** The same for binary columns, which no connection encodes twice. */
  readonly repairBinary: TextRepair;
  readonly localTime: LocalTime;
  /** Those of this server. */
  readonly settings: Pick<OcraSettings, 'maxChallengeRequests' | 'challengeTimeout'>;
  /** The imported ones, by serial. */
  readonly tokens: ReadonlyMap<string, ChallengedToken>;
}

/** Of the database's integers. */
const MAX_INTEGER = 2 ** 31 - 1;

function mapChallenge(row: SourceRow, context: ChallengeContext): Mapped<ImportedChallenge> {
  const transactionId = textOf(row, 'transid').trim();
  const serial = context.repair(textOf(row, 'tokenserial'));
  const place = { name: transactionId, row: `${context.table} ${textOf(row, 'id')}` };
  const left = (reason: string): Mapped<ImportedChallenge> => ({
    ...place,
    value: undefined,
    reasons: [reason],
  });
  const fault = faultOfLength(row, { transid: 64 });
  if (fault !== undefined) {
    return { ...left(fault), name: shortened(transactionId) };
  }
  const token = context.tokens.get(serial);
  const issuedAt = context.localTime.read(textOf(row, 'timestamp'));
  if (transactionId === '' || !isStorable(transactionId)) {
    return left('it has no transaction id that can be stored');
  }
  if (token === undefined) {
    return left(`its token ${shortened(serial)} is not imported or does not exist`);
  }
  if (issuedAt === undefined) {
    return left('its time is not readable');
  }
  const content = readContent(row, token.type, context);
  if (content === undefined || !isStorable(content.question, content.data)) {
    return left('its content is not readable');
  }
  const state = readState(row, token, context.settings.maxChallengeRequests);
  const { question, data, remarks } = content;
  const value = {
    transactionId,
    serial: token.serial,
    question,
    data,
    issuedAt,
    expiresAt: expiryOf(issuedAt, context.settings),
    // LinOTP keeps no mark: /validate gives an id of 17 digits, /ocra/request another.
    isTriggered: (context.table === 'challenges' && /^\d{17}$/.test(transactionId)) || undefined,
    ...state.value,
  };
  return { ...place, value, reasons: state.reasons, remarks };
}

interface Content {
  readonly question: string;
  readonly data: string;
  readonly remarks: readonly string[];
}

function readContent(row: SourceRow, type: string, context: ChallengeContext): Content | undefined {
  const challenge = readEither(row, 'bchallenge', 'challenge', context);
  const data = readEither(row, 'bdata', 'data', context);
  if (type === 'ocra') {
    const question = afterColon(challenge);
    return question === undefined ? undefined : { question, data: afterColon(data) ?? data, remarks: [] };
  }
  if (type === 'ocra2') {
    return readJsonContent(data);
  }
  const remarks = [`challenges of the type ${type} are kept; they cannot be answered here`];
  return { question: challenge, data, remarks };
}

/** @returns the text of a binary column, UTF-8; PostgreSQL writes such a value as `\x` and hexadecimal digits */
function binaryTextOf(row: SourceRow, column: string): string {
  const value = row[column];
  const isHex = typeof value === 'string' && /^\\x(?:[0-9a-f]{2})*$/i.test(value);
  return isHex ? Buffer.from(value.slice(2), 'hex').toString('utf8') : textOf(row, column);
}

/** The text columns are left over from older releases, which had no binary ones. */
function readEither(
  row: SourceRow,
  binaryColumn: string,
  textColumn: string,
  context: ChallengeContext,
): string {
  const binary = binaryTextOf(row, binaryColumn);
  return binary === '' ? context.repair(textOf(row, textColumn)) : context.repairBinary(binary);
}

/** `raw:abc`, `random:…`: only the first colon separates. */
function afterColon(text: string): string | undefined {
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(colon + 1);
}

function readJsonContent(text: string): Content | undefined {
  const { challenge, input = '' } = parseJsonObject(text) ?? {};
  return typeof challenge === 'string' && challenge !== '' && typeof input === 'string'
    ? { question: challenge, data: input, remarks: [] }
    : undefined;
}

type ChallengeState = Pick<ImportedChallenge, 'wrongCount' | 'receivedTan' | 'validTan' | 'closedBy'>;

function readState(
  row: SourceRow,
  { type, algorithm }: ChallengedToken,
  maxChallengeRequests: number,
): { readonly value: ChallengeState; readonly reasons: readonly string[] } {
  const validTan = flagOf(row, 'valid_tan');
  const receivedTan = flagOf(row, 'received_tan') || validTan;
  const received = Math.min(Math.max(0, wholeOf(row, 'received_count') ?? 0), MAX_INTEGER);
  // LinOTP counts the right response of an ocra2 token, too.
  const wrongCount = validTan && type !== 'ocra' ? Math.max(0, received - 1) : received;
  const value = { wrongCount, receivedTan, validTan };
  if (validTan) {
    return { value: { ...value, closedBy: 'accepted' }, reasons: [] };
  }
  if (wrongCount >= maxChallengeRequests) {
    return { value: { ...value, closedBy: 'exhausted' }, reasons: ['closed: too many wrong responses'] };
  }
  if (receivedTan && mayBeAnswered(algorithm)) {
    const reason = 'closed: LinOTP does not tell whether a response to it was accepted before';
    return { value: { ...value, closedBy: 'superseded' }, reasons: [reason] };
  }
  return { value: { ...value, closedBy: null }, reasons: [] };
}

/**
 * A wrong response erases the mark of an earlier right one from all challenges of a token. With a counter or a time
 * step that response cannot be accepted again; without either it could.
 */
function mayBeAnswered(algorithm: string | null): boolean {
  try {
    const suite = algorithm === null ? undefined : parseOcraSuite(algorithm);
    return suite !== undefined && !suite.counter && suite.timeStep === undefined;
  } catch {
    return false;
  }
}
