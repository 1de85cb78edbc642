import { callWithDetail, type DetailOf } from '../../api/call.ts';

/** The user or serial that a token is enrolled for. */
export type EnrolTarget =
  | { readonly kind: 'person'; readonly user: string; readonly realm: string }
  | { readonly kind: 'token'; readonly serial: string }
  | { readonly kind: 'nobody' };

/** The progress of a roll-out. The URLs and the key are secrets: they are in the memory of the open page only. */
export type Stage =
  | { readonly kind: 'begin' }
  | { readonly kind: 'phase1'; readonly serial: string; readonly url: string }
  | {
      readonly kind: 'phase2';
      readonly serial: string;
      readonly url: string;
      readonly transactionId: string;
      readonly hasAddress: boolean;
    }
  | { readonly kind: 'key'; readonly serial: string; readonly key: string }
  | { readonly kind: 'ready'; readonly serial: string };

/** The fields that are set with the first step. */
export interface TokenFields {
  readonly description: string;
  readonly pin: string;
}

/** Begins the roll-out of a QR-TAN app. @throws ServerFailure */
export async function beginPhase1(target: EnrolTarget, fields: TokenFields): Promise<Stage> {
  const { detail } = await callWithDetail('/admin/init', {
    type: 'ocra',
    genkey: '1',
    sharedsecret: '1',
    ...namesOf(target),
    ...fieldsOf(fields),
  });
  const { serial, app_import: url } = having(detail, 'sharedsecret');
  return { kind: 'phase1', serial, url };
}

/** Goes on with the activation code; may be repeated. @throws ServerFailure */
export async function beginPhase2(
  serial: string,
  { code, message }: { readonly code: string; readonly message: string },
): Promise<Stage> {
  const { detail } = await callWithDetail('/admin/init', {
    type: 'ocra',
    genkey: '1',
    serial,
    activationcode: code.replaceAll(/\s/g, ''),
    message,
  });
  const { app_import: url, transactionid, url: address } = having(detail, 'transactionid');
  return { kind: 'phase2', serial, url, transactionId: transactionid, hasAddress: address !== '' };
}

/** Makes a token with a key of its own. @throws ServerFailure */
export async function makePlain(target: EnrolTarget, fields: TokenFields): Promise<Stage> {
  const { detail } = await callWithDetail('/admin/init', {
    type: 'ocra',
    genkey: '1',
    ...namesOf(target),
    ...fieldsOf(fields),
  });
  const { serial, otpkey } = having(detail, 'otpkey');
  return { kind: 'key', serial, key: (otpkey.value ?? '').replace(/^seed:\/\//, '') };
}

/** @returns the parameters that name the target */
export function namesOf(target: EnrolTarget): Record<string, string> {
  switch (target.kind) {
    case 'person':
      return { user: target.user, realm: target.realm };
    case 'token':
      return { serial: target.serial };
    case 'nobody':
      return {};
  }
}

function fieldsOf({ description, pin }: TokenFields): Record<string, string> {
  return { ...(description !== '' && { description }), ...(pin !== '' && { pin }) };
}

type Detail = DetailOf<'/admin/init'>;

/** @returns the detail of the kind that has the member; the server answers one kind to each of these requests */
function having<Key extends 'sharedsecret' | 'transactionid' | 'otpkey'>(
  detail: Detail,
  key: Key,
): Extract<Detail, Readonly<Record<Key, unknown>>> {
  if (!(key in detail)) {
    throw new Error(`The answer has no ${key}`);
  }
  return detail as Extract<Detail, Readonly<Record<Key, unknown>>>;
}
