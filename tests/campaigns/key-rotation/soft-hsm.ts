import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeNamedPipe } from '../../support/servers/named-pipe.ts';
import { REPOSITORY } from '../../repository/repository-file.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';

const LIBRARIES = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/usr/lib64/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];
const UTILITY = 'softhsm2-util';
/** The folders of packages: the project's own, or those of NODE_PATH. */
const PACKAGE_FOLDERS = process.env.NODE_PATH ?? '';

/** A script that handles keys of the token, in a process whose environment names the tokens; prints JSON. */
const SCRIPT = `
const p = require('pkcs11js');
const [library, pin, label, act, keyId = '', wrapped = ''] = process.argv.slice(1);
const calls = new p.PKCS11();
calls.load(library);
calls.C_Initialize();
const slot = calls.C_GetSlotList(true).find((one) => calls.C_GetTokenInfo(one).label.trimEnd() === label);
const session = calls.C_OpenSession(slot, p.CKF_SERIAL_SESSION | p.CKF_RW_SESSION);
calls.C_Login(session, p.CKU_USER, pin);
calls.C_FindObjectsInit(session, [{ type: p.CKA_CLASS, value: p.CKO_SECRET_KEY }]);
const keys = calls.C_FindObjects(session, 10);
calls.C_FindObjectsFinal(session);
if (act === 'destroy') keys.forEach((key) => calls.C_DestroyObject(session, key));
else if (act === 'unwrap') {
  const bytes = Buffer.from(wrapped, 'hex');
  const parameter = {
    type: p.CK_PARAMS_AES_GCM_v240, iv: bytes.subarray(1, 13), ivBits: 96, aad: Buffer.from('tankeeper wrapped key ' + keyId), tagBits: 128,
  };
  calls.C_DecryptInit(session, { mechanism: p.CKM_AES_GCM, parameter }, keys[0]);
  console.log(calls.C_Decrypt(session, bytes.subarray(13), Buffer.alloc(99)).toString('hex'));
}
else console.log(JSON.stringify(keys.map((key) => calls.C_GetAttributeValue(session, key, [
  { type: p.CKA_LABEL }, { type: p.CKA_EXTRACTABLE }, { type: p.CKA_SENSITIVE }, { type: p.CKA_VALUE_LEN },
]).map(({ value }, index) => index === 0 ? value.toString() : value[0]))));
`;

/** A SoftHSM of a test's own: its tokens are in a folder that the test may remove. */
export class SoftHsm {
  readonly pin = '2468135';
  readonly token = 'tankeeper test';
  readonly pinFile: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'tankeeper-softhsm-'));
  readonly #library = join(this.#folder, 'module.so');
  readonly #configuration = join(this.#folder, 'softhsm2.conf');

  constructor() {
    mkdirSync(this.#tokens);
    writeFileSync(
      this.#configuration,
      `directories.tokendir = ${this.#tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`,
    );
    this.pinFile = join(this.#folder, 'pin');
    this.writePin(this.pin);
    this.plugIn();
    this.initToken();
  }

  get #tokens(): string {
    return join(this.#folder, 'tokens');
  }

  /** The environment of a server that uses the token's key `wrapping key`. */
  get environment(): Record<string, string> {
    return {
      SECURITY_MODULE: 'pkcs11',
      PKCS11_LIBRARY: this.#library,
      PKCS11_TOKEN: this.token,
      PKCS11_PIN_FILE: this.pinFile,
      PKCS11_KEY: 'wrapping key',
      ...this.#ownEnvironment,
    };
  }

  get #ownEnvironment(): Record<string, string> {
    return { SOFTHSM2_CONF: this.#configuration, NODE_PATH: PACKAGE_FOLDERS };
  }

  writePin(pin: string): void {
    writeFileSync(this.pinFile, `${pin}\n`, { mode: 0o600 });
  }

  /** Creates a further token of the same label. */
  initToken(): void {
    execFileSync(
      UTILITY,
      ['--init-token', '--free', '--label', this.token, '--so-pin', '87654321', '--pin', this.pin],
      { env: { ...process.env, ...this.#ownEnvironment }, stdio: 'ignore' },
    );
  }

  removeTokens(): void {
    renameSync(this.#tokens, `${this.#tokens}.away`);
    mkdirSync(this.#tokens);
  }

  bringTokensBack(): void {
    rmSync(this.#tokens, { recursive: true });
    renameSync(`${this.#tokens}.away`, this.#tokens);
  }

  /** Makes every later load of the library wait for ever. */
  hang(): void {
    rmSync(this.#library);
    makeNamedPipe(this.#library);
  }

  /** Restores the true library. */
  plugIn(): void {
    rmSync(this.#library, { force: true });
    symlinkSync(softHsmLibrary() ?? '', this.#library);
  }

  /** @returns label, extractable flag, sensitive flag and length of each secret key */
  keys(): unknown {
    return JSON.parse(this.#runScript('list'));
  }

  destroyKeys(): void {
    this.#runScript('destroy');
  }

  /** @returns the plain key, in hexadecimal digits */
  unwrap(keyId: string, wrapped: Buffer): string {
    return this.#runScript('unwrap', keyId, wrapped.toString('hex')).trim();
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #runScript(...act: readonly string[]): string {
    return execFileSync(process.execPath, ['-e', SCRIPT, '--', this.#library, this.pin, this.token, ...act], {
      cwd: REPOSITORY,
      env: { ...process.env, ...this.#ownEnvironment },
      encoding: 'utf8',
    });
  }
}

/** Tests that need SoftHSM and pkcs11js. */
export function describeWithSoftHsm(title: string, tests: () => void): void {
  const missing = whatIsMissing();
  describeWithProgram(title, missing === undefined ? UTILITY : undefined, missing ?? '', tests);
}

function whatIsMissing(): string | undefined {
  if (softHsmLibrary() === undefined || spawnSync(UTILITY, ['--version']).status !== 0) {
    return 'softhsm2';
  }
  const loaded = spawnSync(process.execPath, ['-e', "require('pkcs11js')"], {
    cwd: REPOSITORY,
    env: { ...process.env, NODE_PATH: PACKAGE_FOLDERS },
  });
  return loaded.status === 0 ? undefined : 'pkcs11js';
}

function softHsmLibrary(): string | undefined {
  return LIBRARIES.find((path) => existsSync(path));
}
