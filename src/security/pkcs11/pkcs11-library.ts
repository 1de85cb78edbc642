import { createRequire } from 'node:module';
import { Pkcs11Fault } from './pkcs11-task.ts';

/** The version of the package that this was written for: package.json names the same. */
export const PKCS11_PACKAGE = 'pkcs11js@2.1.7';

/** An object, a slot or a session of the module. */
export type Handle = Buffer;

/** An attribute of an object; without a value: to be asked for. */
export interface Attribute {
  readonly type: number;
  readonly value?: number | boolean | string | Buffer;
}

/** A way to compute, with what it needs. */
export interface Mechanism {
  readonly mechanism: number;
  readonly parameter?: Readonly<Record<string, number | Buffer>>;
}

/** The calls of PKCS #11 that are used here, as the package offers them. They block, and throw by name of the code. */
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
  C_FindObjects(session: Handle, most: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, asked: readonly Attribute[]): { value: Buffer }[];
  C_GenerateKey(session: Handle, mechanism: Mechanism, template: readonly Attribute[]): Handle;
  C_EncryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Encrypt(session: Handle, plain: Buffer, room: Buffer): Buffer;
  C_DecryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Decrypt(session: Handle, encrypted: Buffer, room: Buffer): Buffer;
}

/** What the package exports, as far as it is used here. */
interface Pkcs11Package {
  readonly PKCS11: new () => Pkcs11Calls;
  /** The package's own numbers for the two shapes of the parameters of AES-GCM. */
  readonly CK_PARAMS_AES_GCM: number;
  readonly CK_PARAMS_AES_GCM_v240: number;
}

/** A module's library, initialised. */
export interface Pkcs11Library {
  readonly calls: Pkcs11Calls;
  /** How to pass the parameters of AES-GCM: as PKCS #11 2.40 has them, then as older modules want them. */
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

/** @returns what a call failed with, such as CKR_DEVICE_REMOVED */
export function nameOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unknown fault';
}

/** Nobody needs the package who has no module: it is not installed with the others. By require, to heed NODE_PATH. */
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
