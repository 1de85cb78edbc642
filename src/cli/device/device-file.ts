import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { CliFailure } from '../cli-failure.ts';
import { fileErrorText } from '../files.ts';
import type { DeviceToken } from '../../device/device-token.ts';
import { parseJsonOrUndefined } from '../../kernel/text.ts';

/** The longest wait for the lock of another process, and the time between two looks at it, in milliseconds. */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_PAUSE_MS = 50;

/** @returns the state in that file; an empty one if there is no such file */
export async function readDeviceFile(file: string): Promise<DeviceState> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return emptyDeviceState();
    }
    throw new CliFailure(`cannot read ${file}: ${fileErrorText(error)}`);
  }
  const parsed = deviceState.safeParse(parseJsonOrUndefined(text));
  if (!parsed.success) {
    throw new CliFailure(`${file} is not the state of a virtual device; nothing was changed`);
  }
  return parsed.data;
}

/**
 * Changes the state in that file under a lock, so that no counter is used twice.
 * @param change returns the new state and a result for the caller; nothing is written when it throws
 * @param timeoutMs milliseconds for which another process may hold the lock
 */
export async function changeDeviceFile<T>(
  file: string,
  change: (state: DeviceState) => Promise<{ state: DeviceState; result: T }>,
  timeoutMs = LOCK_TIMEOUT_MS,
): Promise<T> {
  const release = await lock(file, timeoutMs);
  try {
    const { state, result } = await change(await readDeviceFile(file));
    await replaceFile(file, formatDeviceState(state));
    return result;
  } finally {
    await release();
  }
}

/** @throws CliFailure if the file cannot be read or written: before what the device is to keep is made */
export async function requireWritableDevice(file: string): Promise<void> {
  await changeDeviceFile(file, (state) => Promise.resolve({ state, result: undefined }));
}

/** A reader sees either the old state or the new one, even after a crash. Only the owner may read it. */
async function replaceFile(file: string, text: string): Promise<void> {
  const aside = await writeAside(file, text);
  try {
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true });
    throw new CliFailure(`cannot write ${file}: ${fileErrorText(error)}`);
  }
}

/** @returns the function that releases the lock */
async function lock(file: string, timeoutMs: number): Promise<() => Promise<void>> {
  const lockFile = `${file}.lock`;
  const mine = await writeAside(lockFile, String(process.pid));
  try {
    for (let waited = 0; waited < timeoutMs; waited += LOCK_PAUSE_MS) {
      if (await takeLock(mine, lockFile)) {
        return () => rm(lockFile, { force: true });
      }
      await pause(LOCK_PAUSE_MS);
    }
  } finally {
    await rm(mine, { force: true });
  }
  throw new CliFailure(
    `another \`tankeeper device\` is using ${file}; if none is running, remove ${lockFile}`,
  );
}

/** Unlike a rename, a link never replaces an existing file. */
async function takeLock(mine: string, lockFile: string): Promise<boolean> {
  try {
    await link(mine, lockFile);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new CliFailure(`cannot write ${lockFile}: ${fileErrorText(error)}`);
    }
    await removeIfLeftBehind(lockFile);
    return false;
  }
}

/** A process that was killed leaves its lock behind. */
async function removeIfLeftBehind(lockFile: string): Promise<void> {
  const owner = Number(await readFile(lockFile, 'utf8').catch(() => Number.NaN));
  if (Number.isInteger(owner) && owner > 0 && !isRunning(owner)) {
    await rm(lockFile, { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** @returns the path of a new file beside `file` that holds `text` and is on the disk */
async function writeAside(file: string, text: string): Promise<string> {
  const aside = `${file}.${process.pid}-${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(aside, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(aside, { force: true });
    throw new CliFailure(`cannot write ${file}: ${fileErrorText(error)}`);
  }
  return aside;
}

const hexText = z.string().regex(/^(?:[0-9a-f]{2})+$/);

const deviceToken: z.ZodType<DeviceToken> = z.strictObject({
  serial: z.string().min(1),
  suite: z.string().min(1),
  sharedSecret: hexText,
  key: hexText.nullable(),
  counter: z.string().regex(/^\d{1,20}$/),
  issuer: z.strictObject({ name: z.string(), logo: z.string() }).optional(),
});

const deviceState = z.strictObject({
  version: z.literal(1),
  /** The activation code that this device uses for every phase 2; null: it prompts. */
  activationCode: z.string().nullable(),
  tokens: z.array(deviceToken).readonly(),
});

/** The app's whole state. Holds secrets. */
export type DeviceState = Readonly<z.output<typeof deviceState>>;

/** @returns the state of a newly installed app */
export function emptyDeviceState(): DeviceState {
  return { version: 1, activationCode: null, tokens: [] };
}

/** @returns the text of the state's file */
export function formatDeviceState(state: DeviceState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}
