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
  | { readonly kind: 'otp'; readonly serial: string; readonly url: string }
  | { readonly kind: 'ready'; readonly serial: string; readonly isApp?: true };

/** What enrols a token: the roll-out of an app, a key for a device, or the type of a token without a challenge. */
export type EnrolKind = 'app' | 'plain' | PassType;
type PassType = 'totp' | 'hmac' | 'pw' | 'spass';

/** The fields that are set with the first step. */
interface TokenFields {
  readonly description: string;
  readonly pin: string;
  /** The text of a token of the type pw. */
  readonly text: string;
}

/** Takes the first step of an enrolment. @throws ServerFailure */
export function begin(kind: EnrolKind, target: EnrolTarget, fields: TokenFields): Promise<Stage> {
  switch (kind) {
    case 'app':
      return beginPhase1(target, fields);
    case 'plain':
      return makePlain(target, fields);
    default:
      return makePass(kind, target, fields);
  }
}

/** Begins the roll-out of a QR-TAN app. @throws ServerFailure */
async function beginPhase1(target: EnrolTarget, fields: TokenFields): Promise<Stage> {
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
async function makePlain(target: EnrolTarget, fields: TokenFields): Promise<Stage> {
  const { detail } = await callWithDetail('/admin/init', {
    type: 'ocra',
    genkey: '1',
    ...namesOf(target),
    ...fieldsOf(fields),
  });
  const { serial, otpkey } = having(detail, 'otpkey');
  return { kind: 'key', serial, key: (otpkey.value ?? '').replace(/^seed:\/\//, '') };
}

/** Makes a token without a challenge. @throws ServerFailure */
async function makePass(type: PassType, target: EnrolTarget, fields: TokenFields): Promise<Stage> {
  const isOtp = type === 'totp' || type === 'hmac';
  const { detail } = await callWithDetail('/admin/init', {
    type,
    ...(isOtp && { genkey: '1' }),
    ...(type === 'pw' && { otpkey: fields.text }),
    ...namesOf(target),
    ...fieldsOf(fields),
  });
  const { serial } = having(detail, 'serial');
  const url = 'googleurl' in detail ? detail.googleurl.value : null;
  return url !== null ? { kind: 'otp', serial, url } : { kind: 'ready', serial };
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
function having<Key extends 'sharedsecret' | 'transactionid' | 'otpkey' | 'serial'>(
  detail: Detail,
  key: Key,
): Extract<Detail, Readonly<Record<Key, unknown>>> {
  if (!(key in detail)) {
    throw new Error(`The answer has no ${key}`);
  }
  return detail as Extract<Detail, Readonly<Record<Key, unknown>>>;
}
