import { createRequire } from 'node:module';

/** Reason of a failure. */
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
export class Pkcs11Fault extends Error {
  readonly reason: Pkcs11Reason;

  constructor(reason: Pkcs11Reason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** The required version of the package, as package.json names it. */
export const PKCS11_PACKAGE = 'pkcs11js@2.1.7';

/** An object, a slot or a session of the module. */
export type Handle = Buffer;

/** An attribute of an object; without a value: to be read. */
export interface Attribute {
  readonly type: number;
  readonly value?: number | boolean | string | Buffer;
}

/** A mechanism of the module, with its parameters. */
export interface Mechanism {
  readonly mechanism: number;
  readonly parameter?: Readonly<Record<string, number | Buffer>>;
}

/** The used calls of PKCS #11, in the package's form. They block, and throw errors named after the return code. */
export interface Pkcs11Calls {
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

/** The used exports of the package. */
interface Pkcs11Package {
  readonly PKCS11: new () => Pkcs11Calls;
  /** The package's own numbers for the two shapes of the parameters of AES-GCM. */
  readonly CK_PARAMS_AES_GCM: number;
  readonly CK_PARAMS_AES_GCM_v240: number;
}

/** A module's library, initialised. */
export interface Pkcs11Library {
  readonly calls: Pkcs11Calls;
  /** Types of the parameters of AES-GCM: that of PKCS #11 2.40, then that of older modules. */
  readonly gcmShapes: readonly [number, number];
}

/**
 * Loads the package and with it the module's library.
 * @param path of the library
 * @throws Pkcs11Fault 'package-missing', 'library-unusable'
 */
export function openLibrary(path: string): Pkcs11Library {
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
export function nameOf(error: unknown): string {
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
