import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

export type Pkcs11Reason =
  | 'package-missing'
  | 'library-unusable'
  | 'token-missing'
  | 'token-ambiguous'
  | 'pin-refused'
  | 'pin-locked'
  | 'pin-last-try'
  | 'key-missing'
  | 'key-ambiguous'
  | 'key-unsuitable'
  | 'not-opened'
  | 'fault';

/** A task that failed. The detail names calls and codes, never a PIN or a key. */
class Pkcs11Fault extends Error {
  readonly reason: Pkcs11Reason;

  constructor(reason: Pkcs11Reason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** The required version of the package, as package.json names it. */
const PKCS11_PACKAGE = 'pkcs11js@2.1.7';

/** An object, a slot or a session of the module. */
type Handle = Buffer;

interface Attribute {
  readonly type: number;
  readonly value?: number | boolean | string | Buffer;
}

interface Mechanism {
  readonly mechanism: number;
  readonly parameter?: Readonly<Record<string, number | Buffer>>;
}

/** The used calls of PKCS #11, in the package's form. They block, and throw errors named after the return code. */
interface Pkcs11Calls {
  load(path: string): void;
  C_Initialize(): void;
  C_Finalize(): void;
  C_GetSlotList(tokenPresent: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { readonly label: string; readonly flags: number };
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_CloseSession(session: Handle): void;
  C_Login(session: Handle, user: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: readonly Attribute[]): void;
  C_FindObjects(session: Handle, max: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, asked: readonly Attribute[]): { value: Buffer }[];
  C_GenerateKey(session: Handle, mechanism: Mechanism, template: readonly Attribute[]): Handle;
  C_EncryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Encrypt(session: Handle, plain: Buffer, room: Buffer): Buffer;
  C_DecryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Decrypt(session: Handle, encrypted: Buffer, room: Buffer): Buffer;
}

interface Pkcs11Package {
  readonly PKCS11: new () => Pkcs11Calls;
  /** The package's own numbers for the two shapes of the parameters of AES-GCM. */
  readonly CK_PARAMS_AES_GCM: number;
  readonly CK_PARAMS_AES_GCM_v240: number;
}

/** A module's library, initialised. */
interface Pkcs11Library {
  readonly calls: Pkcs11Calls;
  /** Types of the parameters of AES-GCM: that of PKCS #11 2.40, then that of older modules. */
  readonly gcmShapes: readonly [number, number];
}

/**
 * Loads the package and with it the module's library.
 * @param path of the library
 * @throws Pkcs11Fault 'package-missing', 'library-unusable'
 */
function openLibrary(path: string): Pkcs11Library {
  const { PKCS11, CK_PARAMS_AES_GCM, CK_PARAMS_AES_GCM_v240 } = loadPackage();
  const calls = new PKCS11();
  try {
    calls.load(path);
    calls.C_Initialize();
  } catch (error) {
    throw new Pkcs11Fault('library-unusable', `${path}: ${nameOf(error)}`);
  }
  return { calls, gcmShapes: [CK_PARAMS_AES_GCM_v240, CK_PARAMS_AES_GCM] };
}

/** @returns the return code of a failed call, such as CKR_DEVICE_REMOVED */
function nameOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown fault';
}

/**
 * Loads the package, an optional dependency for installations with a module. Uses require, which respects NODE_PATH.
 */
function loadPackage(): Pkcs11Package {
  const load = createRequire(import.meta.url);
  try {
    return load('pkcs11js') as Pkcs11Package;
  } catch (error) {
    throw new Pkcs11Fault(
      'package-missing',
      `\`npm install --no-save ${PKCS11_PACKAGE}\` installs it; ${nameOf(error)}`,
    );
  }
}

export interface KeyBytes {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

/** The work of the process that uses the module, in one session. */
export interface Pkcs11Task {
  /** The path of the module's library. */
  readonly library: string;
  readonly token: string;
  /** The label of the wrapping AES-256 key. */
  readonly key: string;
  readonly pin: string;
  /** Makes the wrapping key if none has that label. */
  readonly createKey: boolean;
  /** Keys to wrap. Each is unwrapped again as a proof. */
  readonly wrap: readonly KeyBytes[];
  /** Keys to unwrap. */
  readonly unwrap: readonly KeyBytes[];
}

export interface Pkcs11Result {
  readonly wrapped: readonly KeyBytes[];
  readonly unwrapped: readonly KeyBytes[];
  /** True if the wrapping key was made just now. */
  readonly keyCreated: boolean;
  /** Faults that operators should correct, in words for the log. */
  readonly warnings: readonly string[];
}

export type Pkcs11Answer =
  | { readonly done: true; readonly result: Pkcs11Result }
  | { readonly done: false; readonly reason: Pkcs11Reason; readonly detail: string };

/** Numbers of PKCS #11 2.40. */
const CKF = { rwSession: 2, serialSession: 4, userPinFinalTry: 0x20000, userPinLocked: 0x40000 } as const;
const CKU_USER = 1;
const CKO_SECRET_KEY = 4;
const CKK_AES = 0x1f;
const CKM = { aesKeyGen: 0x1080, aesGcm: 0x1087 } as const;
const CKA = {
  class: 0x0,
  token: 0x1,
  private: 0x2,
  label: 0x3,
  keyType: 0x100,
  sensitive: 0x103,
  encrypt: 0x104,
  decrypt: 0x105,
  valueLen: 0x161,
  extractable: 0x162,
} as const;
/** Return codes that refuse this PIN, now or for ever: another try may lock the token. */
const PIN_REFUSED = ['CKR_PIN_INCORRECT', 'CKR_PIN_INVALID', 'CKR_PIN_LEN_RANGE', 'CKR_PIN_EXPIRED'];
/** Return codes of modules that do not know the type of parameters. */
const SHAPE_REFUSED = ['CKR_MECHANISM_PARAM_INVALID', 'CKR_ARGUMENTS_BAD'];

/** Faults of the module rather than of its input. */
const MODULE_AWAY = /^CKR_(?:DEVICE|SESSION|TOKEN|HOST|SLOT|CRYPTOKI|USER)_/;

const KEY_BYTES = 32;
const VERSION = 1;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const ROOM = 256;

/** A session after the login. */
interface Session {
  readonly library: Pkcs11Library;
  readonly handle: Handle;
}

/**
 * Performs a task with the module: logs in, finds or makes the wrapping key, wraps and unwraps. Blocks until the module
 * has finished. A wrapped key is `version (1) | nonce (12) | ciphertext | tag (16)`, AES-256-GCM (NIST SP 800-38D)
 * computed by the module, with the id of the wrapped key authenticated.
 * @throws Pkcs11Fault
 */
function doTask(task: Pkcs11Task): Pkcs11Result {
  const library = openLibrary(task.library);
  try {
    const session = logIn(library, task);
    try {
      return useSession(session, task);
    } finally {
      quietly(() => {
        library.calls.C_CloseSession(session.handle);
      });
    }
  } catch (error) {
    throw error instanceof Pkcs11Fault ? error : new Pkcs11Fault('fault', nameOf(error));
  } finally {
    quietly(() => {
      library.calls.C_Finalize();
    });
  }
}

/** Ignores errors of the clean-up, which fails with an unavailable module; the relevant error was thrown before. */
function quietly(leave: () => void): void {
  try {
    leave();
  } catch {
    // The process ends next, and closes all that is still open.
  }
}

function useSession(session: Session, task: Pkcs11Task): Pkcs11Result {
  const found = findKey(session, task.key);
  if (found === undefined && !task.createKey) {
    throw new Pkcs11Fault('key-missing', `no secret key has the label '${task.key}'`);
  }
  const key = found ?? makeKey(session, task.key);
  return {
    keyCreated: found === undefined,
    warnings: inspectKey(session, key, task.key),
    unwrapped: task.unwrap.map(({ keyId, bytes }) => ({ keyId, bytes: unwrap(session, key, keyId, bytes) })),
    wrapped: task.wrap.map((plain) => wrapAndProve(session, key, plain)),
  };
}

function logIn(library: Pkcs11Library, { token, pin, createKey }: Pkcs11Task): Session {
  const { calls } = library;
  const slot = findToken(calls, token);
  const { flags } = calls.C_GetTokenInfo(slot);
  if ((flags & CKF.userPinLocked) !== 0) {
    throw new Pkcs11Fault('pin-locked', 'the token says so; the PIN was not tried');
  }
  if ((flags & CKF.userPinFinalTry) !== 0) {
    throw new Pkcs11Fault('pin-last-try', 'the PIN was not tried: a wrong one would lock the token');
  }
  const handle = calls.C_OpenSession(slot, CKF.serialSession | (createKey ? CKF.rwSession : 0));
  try {
    calls.C_Login(handle, CKU_USER, pin);
  } catch (error) {
    const name = nameOf(error);
    if (PIN_REFUSED.includes(name)) {
      throw new Pkcs11Fault('pin-refused', name);
    }
    throw new Pkcs11Fault(name === 'CKR_PIN_LOCKED' ? 'pin-locked' : 'fault', `C_Login: ${name}`);
  }
  return { library, handle };
}

function findToken(calls: Pkcs11Calls, label: string): Handle {
  const slots = calls.C_GetSlotList(true).filter((slot) => labelIn(calls, slot) === label);
  const [slot] = slots;
  if (slot === undefined) {
    throw new Pkcs11Fault('token-missing', `no token has the label '${label}'`);
  }
  if (slots.length > 1) {
    throw new Pkcs11Fault('token-ambiguous', `${slots.length} tokens have the label '${label}'`);
  }
  return slot;
}

/** Reads a token's label; an unreadable token is skipped. */
function labelIn(calls: Pkcs11Calls, slot: Handle): string | undefined {
  try {
    // Padded with blanks to 32 characters.
    return calls.C_GetTokenInfo(slot).label.trimEnd();
  } catch {
    return undefined;
  }
}

function findKey({ library: { calls }, handle }: Session, label: string): Handle | undefined {
  calls.C_FindObjectsInit(handle, [
    { type: CKA.class, value: CKO_SECRET_KEY },
    { type: CKA.label, value: label },
  ]);
  const found = calls.C_FindObjects(handle, 2);
  calls.C_FindObjectsFinal(handle);
  if (found.length > 1) {
    throw new Pkcs11Fault('key-ambiguous', `several secret keys have the label '${label}'`);
  }
  return found[0];
}

function makeKey({ library: { calls }, handle }: Session, label: string): Handle {
  const template: readonly Attribute[] = [
    { type: CKA.class, value: CKO_SECRET_KEY },
    { type: CKA.keyType, value: CKK_AES },
    { type: CKA.valueLen, value: KEY_BYTES },
    { type: CKA.label, value: label },
    { type: CKA.token, value: true },
    { type: CKA.private, value: true },
    { type: CKA.sensitive, value: true },
    { type: CKA.extractable, value: false },
    { type: CKA.encrypt, value: true },
    { type: CKA.decrypt, value: true },
  ];
  return calls.C_GenerateKey(handle, { mechanism: CKM.aesKeyGen }, template);
}

/** @returns the faults of the key that operators should correct */
function inspectKey({ library: { calls }, handle }: Session, key: Handle, label: string): readonly string[] {
  const ask = (type: number): Buffer | undefined =>
    calls.C_GetAttributeValue(handle, key, [{ type }])[0]?.value;
  if (ask(CKA.keyType)?.[0] !== CKK_AES || ask(CKA.valueLen)?.[0] !== KEY_BYTES) {
    throw new Pkcs11Fault('key-unsuitable', `the key '${label}' is not an AES key of ${KEY_BYTES} bytes`);
  }
  const exposed = ask(CKA.extractable)?.[0] !== 0 || ask(CKA.sensitive)?.[0] !== 1;
  return exposed
    ? [`the key '${label}' can leave the security module: make one that is sensitive and not extractable`]
    : [];
}

/** Unwraps each wrapped key again as a proof: the plain key is about to be discarded. */
function wrapAndProve(session: Session, key: Handle, { keyId, bytes }: KeyBytes): KeyBytes {
  const nonce = randomBytes(NONCE_LENGTH);
  const { calls } = session.library;
  begin(session, keyId, nonce, (mechanism) => {
    calls.C_EncryptInit(session.handle, mechanism, key);
  });
  const encrypted = calls.C_Encrypt(session.handle, Buffer.from(bytes), Buffer.alloc(ROOM));
  const wrapped = Buffer.concat([Buffer.of(VERSION), nonce, encrypted]);
  if (!unwrap(session, key, keyId, wrapped).equals(bytes)) {
    throw new Pkcs11Fault('key-unsuitable', 'what the key encrypts does not open to the same again');
  }
  return { keyId, bytes: wrapped };
}

function unwrap(session: Session, key: Handle, keyId: string, wrapped: Uint8Array): Buffer {
  if (wrapped[0] !== VERSION || wrapped.length !== 1 + NONCE_LENGTH + KEY_BYTES + TAG_LENGTH) {
    throw new Pkcs11Fault('not-opened', `the wrapped key ${keyId} has not the form of one`);
  }
  const { calls } = session.library;
  begin(session, keyId, Buffer.from(wrapped.subarray(1, 1 + NONCE_LENGTH)), (mechanism) => {
    calls.C_DecryptInit(session.handle, mechanism, key);
  });
  const encrypted = Buffer.from(wrapped.subarray(1 + NONCE_LENGTH));
  try {
    return calls.C_Decrypt(session.handle, encrypted, Buffer.alloc(ROOM));
  } catch (error) {
    const name = nameOf(error);
    throw new Pkcs11Fault(
      MODULE_AWAY.test(name) ? 'fault' : 'not-opened',
      `key ${keyId}, C_Decrypt: ${name}`,
    );
  }
}

/** Tries the second type of parameters where the first is refused: modules differ (ulIvBits is new in 2.40). */
function begin(
  { library: { gcmShapes } }: Session,
  keyId: string,
  nonce: Buffer,
  start: (mechanism: Mechanism) => void,
): void {
  const mechanismOf = (type: number): Mechanism => ({
    mechanism: CKM.aesGcm,
    parameter: {
      type,
      iv: nonce,
      ivBits: NONCE_LENGTH * 8,
      aad: Buffer.from(`tankeeper wrapped key ${keyId}`, 'utf8'),
      tagBits: TAG_LENGTH * 8,
    },
  });
  try {
    start(mechanismOf(gcmShapes[0]));
  } catch (error) {
    if (!SHAPE_REFUSED.includes(nameOf(error))) {
      throw error;
    }
    start(mechanismOf(gcmShapes[1]));
  }
}

/**
 * The whole program of the process that uses the module: receives one task from its parent, answers it and ends. The
 * process is separate because calls into the module block, may hang, and run a foreign library: the server can end it,
 * and the next one begins with a new login.
 */
process.once('message', (task: Pkcs11Task) => {
  process.send?.(answer(task), () => {
    process.disconnect();
  });
});

function answer(task: Pkcs11Task): Pkcs11Answer {
  try {
    return { done: true, result: doTask(task) };
  } catch (error) {
    return error instanceof Pkcs11Fault
      ? { done: false, reason: error.reason, detail: error.message }
      : { done: false, reason: 'fault', detail: error instanceof Error ? error.name : 'unknown fault' };
  }
}
