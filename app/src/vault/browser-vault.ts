import type { DeviceToken } from '../../../src/device/device-token.ts';
import { AutoLock } from './auto-lock.ts';
import { readBackup, writeBackup } from './backup-file.ts';
import { backupContent, plannedRestore, restoreRecords } from './backup-records.ts';
import { judgeBackupPassphrase, judgePin, type StrengthVerdict } from './pin-strength.ts';
import type { Protection } from './protection.ts';
import { type RecordName, RecordStore } from './record-store.ts';
import { SETTINGS, storedSettings, storedTokens, tokenName, withDefaults } from './stored-records.ts';
import { storageFailure, throwingVaultErrors } from './storage-failure.ts';
import { TabChannel, type TabNews } from './tab-channel.ts';
import { replacedToken } from './token-change.ts';
import {
  type AttemptState,
  type BackupOutcome,
  type HistoryEntry,
  type HistoryOutcome,
  type Persistence,
  type Proof,
  type ProtectedVault,
  type RestorePlan,
  type RestoredState,
  type StoredToken,
  type UnlockOutcome,
  VaultError,
  type VaultErrorCode,
  type VaultSettings,
  type VaultState,
} from './vault.ts';
import { openVaultDatabase, type VaultDatabase } from './vault-database.ts';
import { type GuardEnvironment, type ProofResult, VaultGuard } from './vault-guard.ts';

/** The services of the browser that the vault needs. */
export interface VaultEnvironment extends GuardEnvironment {
  /** Of the database, and of the channel between tabs. */
  readonly name: string;
  /** The window: its events tell whether the app is used. */
  readonly page: EventTarget;
  readonly storage: Pick<StorageManager, 'persist' | 'persisted'> | undefined;
}

type Proved = Extract<ProofResult, { kind: 'open' }>;

const OPEN: UnlockOutcome = { kind: 'open' };
const MAX_HISTORY = 500;
/** Entries beyond the most that are kept until they are removed together: telling the oldest decrypts all of them. */
const HISTORY_SURPLUS = 50;

/** The services of an open connection. */
interface Connection {
  readonly database: VaultDatabase;
  readonly guard: VaultGuard;
}

/** The vault in IndexedDB. */
export class BrowserVault implements ProtectedVault {
  readonly #environment: VaultEnvironment;
  readonly #listeners = new Set<() => void>();
  readonly #channel: TabChannel;
  readonly #autoLock: AutoLock;
  #connection: Connection | null = null;
  /** Holds the only keys in memory. */
  #records: RecordStore | null = null;
  #state: VaultState = 'loading';
  #problem: VaultErrorCode | null = null;
  #protection: Protection | undefined;
  #wasWiped = false;

  constructor(environment: VaultEnvironment) {
    this.#environment = environment;
    this.#channel = new TabChannel(environment.name, (news) => {
      this.#hear(news);
    });
    this.#autoLock = new AutoLock(environment.page, environment.now, () => {
      this.#drop('locked');
    });
  }

  get state(): VaultState {
    return this.#state;
  }

  get problem(): VaultErrorCode | null {
    return this.#problem;
  }

  get hasPasskey(): boolean {
    return (this.#protection?.passkey ?? null) !== null;
  }

  get hasDigitPin(): boolean {
    return this.#protection?.pin.isDigits ?? true;
  }

  get wasWiped(): boolean {
    return this.#wasWiped;
  }

  /** Opens the database. Its failure is the state `unavailable`. */
  async start(): Promise<void> {
    try {
      const database = await openVaultDatabase(this.#environment.name, (reason) => {
        this.#fail(reason);
      });
      this.#connection = { database, guard: new VaultGuard(database, this.#environment) };
      await this.#readProtection();
    } catch (error) {
      const { code } = storageFailure(error);
      this.#fail(code === 'storage-failed' ? 'storage-missing' : code);
    }
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  lock(): void {
    if (this.#state === 'open') {
      this.#channel.tell('locked');
      this.#drop('locked');
    }
  }

  close(): void {
    this.#drop('unavailable');
    this.#channel.close();
    this.#connection?.database.close();
    this.#connection = null;
  }

  // ---- the owner's proof

  create(pin: string): Promise<void> {
    return throwingVaultErrors(async () => {
      assertNotRefused(judgePin(pin));
      const made = await this.#guard().create(pin);
      this.#channel.tell('protection');
      await this.#enter(made);
    });
  }

  unlock(proof: Proof): Promise<UnlockOutcome> {
    return this.#proved(proof, async (proved) => {
      await this.#enter(proved);
      return OPEN;
    });
  }

  attempts(): Promise<AttemptState> {
    return throwingVaultErrors(() => this.#guard().attempts());
  }

  changePin(proof: Proof, pin: string): Promise<UnlockOutcome> {
    return this.#proved(proof, async (proved) => {
      assertNotRefused(judgePin(pin));
      await this.#guard().changePin(proved, pin);
      await this.#protectionChanged();
      return OPEN;
    });
  }

  addPasskey(proof: Proof): Promise<UnlockOutcome> {
    return this.#proved(proof, async (proved) => {
      const refusal = await this.#guard().addPasskey(proved);
      await this.#protectionChanged();
      return refusal ?? OPEN;
    });
  }

  removePasskey(): Promise<void> {
    return this.#using(async () => {
      await this.#guard().removePasskey();
      await this.#protectionChanged();
    });
  }

  removeEverything(): Promise<void> {
    return throwingVaultErrors(async () => {
      await this.#guard().clear();
      await this.#protectionChanged();
    });
  }

  // ---- tokens

  listTokens(): Promise<readonly StoredToken[]> {
    return this.#using(storedTokens);
  }

  saveToken(token: DeviceToken): Promise<void> {
    return this.#writing(async (records) => {
      await records.update(tokenName(token.serial), (stored) =>
        replacedToken(stored as StoredToken | undefined, token, this.#environment.now()),
      );
      if ((await records.count('token')) === 1) {
        // Not awaited: a browser may ask the user, and the token is stored in any case.
        void this.#askToKeep();
      }
    });
  }

  renameToken(serial: string, name: string): Promise<void> {
    return this.#writing((records) =>
      records.update(tokenName(serial), (stored) => {
        if (stored === undefined) {
          throw new VaultError('token-unknown');
        }
        return { ...(stored as StoredToken), name };
      }),
    );
  }

  noteRestored(serial: string, restored: RestoredState | undefined): Promise<void> {
    return this.#writing((records) =>
      records.update(tokenName(serial), (stored) =>
        stored === undefined ? undefined : { ...(stored as StoredToken), restored },
      ),
    );
  }

  removeToken(serial: string): Promise<void> {
    return this.#writing((records) => records.update(tokenName(serial), () => undefined));
  }

  // ---- history

  addHistory(entry: HistoryEntry): Promise<void> {
    return this.#writing(async (records) => {
      await records.update(entryName(entry.id), () => entry);
      if ((await records.count('history')) > MAX_HISTORY + HISTORY_SURPLUS) {
        const surplus = newestFirst(await records.list('history')).slice(MAX_HISTORY);
        await records.updateAll([], () => surplus.map(({ id }) => ({ ...entryName(id), value: undefined })));
      }
    });
  }

  updateHistory(id: string, outcome: HistoryOutcome): Promise<void> {
    return this.#writing((records) =>
      records.update(entryName(id), (stored) =>
        stored === undefined ? undefined : { ...(stored as HistoryEntry), outcome },
      ),
    );
  }

  listHistory(): Promise<readonly HistoryEntry[]> {
    return this.#using(async (records) => newestFirst(await records.list('history')).slice(0, MAX_HISTORY));
  }

  // ---- settings

  settings(): Promise<VaultSettings> {
    return this.#using(async (records) => ({
      ...(await storedSettings(records)),
      wipeAfterWrongPins: await this.#guard().wipeAfter(),
    }));
  }

  changeSettings({ wipeAfterWrongPins, ...change }: Partial<VaultSettings>): Promise<void> {
    return this.#writing(async (records) => {
      if (wipeAfterWrongPins !== undefined) {
        await this.#guard().setWipeAfter(wipeAfterWrongPins);
      }
      await records.update(SETTINGS, (stored) => ({ ...withDefaults(stored), ...change }));
      this.#autoLock.start((await storedSettings(records)).lockAfterMinutes);
    });
  }

  async persistence(): Promise<Persistence> {
    try {
      const isKept = await this.#environment.storage?.persisted();
      return isKept === undefined ? 'unknown' : isKept ? 'kept' : 'at-risk';
    } catch {
      return 'unknown';
    }
  }

  /** A browser that cannot be asked must not make a save fail. */
  async #askToKeep(): Promise<void> {
    try {
      await this.#environment.storage?.persist();
      this.#notify();
    } catch {
      // `persistence` tells that nothing was promised.
    }
  }

  // ---- backup

  async exportBackup(proof: Proof, passphrase: string): Promise<BackupOutcome> {
    assertNotRefused(judgeBackupPassphrase(passphrase));
    const file: { text?: string } = {};
    const outcome = await this.#proved(proof, async () => {
      const content = await this.#using((records) => backupContent(records, this.#environment.now()));
      file.text = await writeBackup(content, passphrase, this.#environment.stopwatch);
      return OPEN;
    });
    return outcome.kind === 'open' ? { kind: 'file', text: file.text ?? '' } : outcome;
  }

  planRestore(file: string, passphrase: string): Promise<RestorePlan> {
    return this.#using(async (records) => plannedRestore(records, await readBackup(file, passphrase)));
  }

  restore({ content }: RestorePlan): Promise<void> {
    return this.#writing(async (records) => {
      await restoreRecords(records, content, this.#environment.now());
      this.#autoLock.start((await storedSettings(records)).lockAfterMinutes);
      void this.#askToKeep();
    });
  }

  // ---- the state

  /** Does the work after the proof, and overwrites the master key. */
  #proved(proof: Proof, work: (proved: Proved) => Promise<UnlockOutcome>): Promise<UnlockOutcome> {
    return throwingVaultErrors(async () => {
      const result = await this.#guard().prove(proof);
      if (result.kind !== 'open') {
        if (result.kind === 'wiped') {
          this.#wasWiped = true;
          await this.#protectionChanged();
        }
        return result;
      }
      try {
        return await work(result);
      } finally {
        result.master.fill(0);
      }
    });
  }

  async #enter({ protection, master }: Proved): Promise<void> {
    const records = await RecordStore.open(this.#connected().database, protection.vaultId, master);
    master.fill(0);
    const { lockAfterMinutes } = await storedSettings(records);
    this.#records = records;
    this.#protection = protection;
    this.#autoLock.start(lockAfterMinutes);
    this.#become('open');
  }

  /** Drops the keys. */
  #drop(state: VaultState): void {
    this.#autoLock.stop();
    this.#records = null;
    this.#become(state);
  }

  #fail(problem: VaultErrorCode): void {
    this.#problem = problem;
    this.#drop('unavailable');
  }

  #become(state: VaultState): void {
    this.#state = state;
    this.#notify();
  }

  readonly #notify = (): void => {
    for (const listener of this.#listeners) {
      listener();
    }
  };

  #hear(news: TabNews): void {
    if (news === 'locked' && this.#state === 'open') {
      this.#drop('locked');
    } else if (news === 'changed') {
      this.#notify();
    } else if (news === 'protection') {
      this.#readProtection().catch((error: unknown) => {
        this.#fail(storageFailure(error).code);
      });
    }
  }

  async #protectionChanged(): Promise<void> {
    this.#channel.tell('protection');
    await this.#readProtection();
  }

  async #readProtection(): Promise<void> {
    this.#protection = await this.#guard().protection();
    if (this.#protection === undefined) {
      this.#drop('new');
    } else {
      this.#become(this.#records === null ? 'locked' : 'open');
    }
  }

  /** @throws VaultError 'locked', also if the vault was locked during the work: nothing of it may be shown */
  #using<Result>(work: (records: RecordStore) => Promise<Result>): Promise<Result> {
    return throwingVaultErrors(async () => {
      const records = this.#records;
      if (records === null) {
        throw new VaultError('locked');
      }
      const result = await work(records);
      if (this.#records !== records) {
        throw new VaultError('locked');
      }
      return result;
    });
  }

  /** Works as `#using`, then reports the change to this tab and the others. */
  async #writing(work: (records: RecordStore) => Promise<void>): Promise<void> {
    await this.#using(work);
    this.#channel.tell('changed');
    this.#notify();
  }

  #guard(): VaultGuard {
    return this.#connected().guard;
  }

  #connected(): Connection {
    if (this.#connection === null) {
      throw new VaultError(this.#problem ?? 'storage-missing');
    }
    return this.#connection;
  }
}

function assertNotRefused({ strength }: StrengthVerdict): void {
  if (strength === 'refused') {
    throw new VaultError('pin-refused');
  }
}

function entryName(id: string): RecordName {
  return { kind: 'history', name: id };
}

function newestFirst(entries: readonly unknown[]): HistoryEntry[] {
  return (entries as HistoryEntry[]).toSorted((left, right) => right.at - left.at);
}
