import type { XmlElement } from './pskc-xml.ts';
import { MAX_USES, type TokenUse } from './token.ts';
import { isCalendarDay } from './token-settings.ts';

/** What a key container demands of the use of a key (RFC 6030 §5), as far as this server can obey it. */
export interface KeyPolicy {
  /** When, and how often, the key may be used. */
  readonly use: Partial<TokenUse>;
  readonly pin: PinPolicy | undefined;
}

/** How the PIN of a key is used. */
export interface PinPolicy {
  /** `Local`: the device checks it; `Prepend`: the user types it before the response; `Algorithmic`: the suite has P. */
  readonly mode: 'Local' | 'Prepend' | 'Algorithmic';
  /** The id of the key that is the PIN. */
  readonly keyId: string | undefined;
  /** Wrong attempts that the key bears; undefined where the device counts them or nothing is said. */
  readonly maxFail: number | undefined;
  readonly place: string;
  /** @throws PolicyFault for a PIN that the policy does not allow. The message does not quote it. */
  readonly assertFits: (pin: string) => void;
}

/** A demand that this server cannot obey: the key must not be loaded (RFC 6030 §5). */
export class PolicyFault extends Error {}

const ELEMENTS = ['StartDate', 'ExpiryDate', 'KeyUsage', 'NumberOfTransactions', 'PINPolicy'];
const PIN_ATTRIBUTES = [
  'PINKeyId',
  'PINUsageMode',
  'MaxFailedAttempts',
  'MinLength',
  'MaxLength',
  'PINEncoding',
];
/** RFC 6030 §5, KeyUsage. */
const USAGES = [
  'OTP',
  'CR',
  'Encrypt',
  'Integrity',
  'Verify',
  'Unlock',
  'Decrypt',
  'KeyWrap',
  'Unwrap',
  'Derive',
  'Generate',
];
const MODES = ['Local', 'Prepend', 'Algorithmic'] as const;

/**
 * @param key the element `Key`
 * @param device the element `DeviceInfo` of its package, whose dates count too
 * @throws PolicyFault for whatever cannot be obeyed or is not known
 */
export function readPolicy(key: XmlElement, device: XmlElement | undefined, algorithm: string): KeyPolicy {
  const policies = key.children.filter(({ name }) => name === 'Policy');
  for (const policy of policies) {
    assertNoAttributes(policy, []);
  }
  const parts = policies.flatMap(({ children }) => children);
  assertKnown(parts);
  assertUsage(
    parts.filter(({ name }) => name === 'KeyUsage'),
    /[:#](?:hotp|totp)$/i.test(algorithm) ? 'OTP' : 'CR',
  );
  const use = useOf([...parts, ...(device?.children ?? [])]);
  const pin = parts.find(({ name }) => name === 'PINPolicy');
  return { use, pin: pin && readPinPolicy(pin) };
}

function assertKnown(parts: readonly XmlElement[]): void {
  const names = new Set<string>();
  for (const part of parts) {
    const { name } = part;
    if (!ELEMENTS.includes(name)) {
      throw fault(part, 'this element of a policy is not known');
    }
    if (names.has(name) && name !== 'KeyUsage') {
      throw fault(part, 'only one is allowed in a policy');
    }
    names.add(name);
  }
}

function assertUsage(usages: readonly XmlElement[], needed: 'OTP' | 'CR'): void {
  const unknown = usages.find(({ text }) => !USAGES.includes(text));
  if (unknown !== undefined) {
    throw fault(unknown, 'this usage is not known');
  }
  const [first] = usages;
  if (first !== undefined && !usages.some(({ text }) => text === needed)) {
    throw fault(first, `the key is for other uses: it would need ${needed}`);
  }
}

/** The latest start and the earliest end of key and device. */
function useOf(elements: readonly XmlElement[]): Partial<TokenUse> {
  const named = (wanted: string): readonly XmlElement[] => elements.filter(({ name }) => name === wanted);
  const starts = named('StartDate').map((element) => timeOf(element, false).getTime());
  const ends = named('ExpiryDate').map((element) => timeOf(element, true).getTime());
  const [expiry] = named('ExpiryDate');
  if (expiry !== undefined && Math.max(...starts) >= Math.min(...ends)) {
    throw fault(expiry, 'the key would end before it begins');
  }
  const [uses] = named('NumberOfTransactions');
  return {
    ...(starts.length > 0 && { validFrom: new Date(Math.max(...starts)) }),
    ...(ends.length > 0 && { validUntil: new Date(Math.min(...ends)) }),
    ...(uses !== undefined && { maxUses: numberOfUses(uses) }),
  };
}

function numberOfUses(element: XmlElement): number {
  const uses = /^\d{1,10}$/.test(element.text) ? Number(element.text) : 0;
  if (uses < 1 || uses > MAX_USES) {
    throw fault(element, `not a whole number from 1 to ${MAX_USES}`);
  }
  return uses;
}

const DAY = 24 * 60 * 60 * 1_000;

/**
 * Reads a dateTime or a date of XML; without a zone it is UTC (RFC 6030 §4.3, §5).
 * @param isEnd the key may be used throughout the day of a date
 */
function timeOf(element: XmlElement, isEnd: boolean): Date {
  const [, day = '', time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/.exec(element.text) ?? [];
  const at = new Date(`${day}T${time ?? '00:00:00'}${zone}`);
  if (!isCalendarDay(day) || Number.isNaN(at.getTime())) {
    throw fault(element, 'not a date and time such as 2030-01-31T00:00:00Z');
  }
  return time === undefined && isEnd ? new Date(at.getTime() + DAY) : at;
}

function readPinPolicy(element: XmlElement): PinPolicy {
  assertNoAttributes(element, PIN_ATTRIBUTES);
  const [child] = element.children;
  if (child !== undefined) {
    throw fault(child, 'this element of a policy is not known');
  }
  const keyId = attribute(element, 'PINKeyId');
  const usage = attribute(element, 'PINUsageMode') ?? 'nothing';
  const mode = MODES.find((known) => known === usage);
  if (mode === undefined) {
    throw fault(element, `PINUsageMode must be ${MODES.join(', ')}, not ${usage.slice(0, 40)}`);
  }
  if (mode === 'Prepend' && keyId === undefined) {
    throw fault(element, 'PINKeyId is missing: without the PIN the key would need none');
  }
  const [min, max] = [numberOf(element, 'MinLength'), numberOf(element, 'MaxLength')];
  const isDecimal = attribute(element, 'PINEncoding') === 'DECIMAL';
  const maxFail = numberOf(element, 'MaxFailedAttempts');
  return {
    mode,
    keyId,
    maxFail: mode === 'Local' ? undefined : maxFail,
    place: placeOf(element),
    assertFits: (pin) => {
      if (pin.length < (min ?? 0) || pin.length > (max ?? Infinity) || (isDecimal && !/^\d+$/.test(pin))) {
        throw fault(element, 'the PIN that PINKeyId names does not fit MinLength, MaxLength or PINEncoding');
      }
    },
  };
}

function numberOf(element: XmlElement, name: string): number | undefined {
  const text = attribute(element, name);
  if (text === undefined) {
    return undefined;
  }
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw fault(element, `${name} is not a whole number from 1 to 99999`);
  }
  return Number(text);
}

function attribute(element: XmlElement, name: string): string | undefined {
  return element.attributes.get(name)?.trim();
}

function assertNoAttributes(element: XmlElement, known: readonly string[]): void {
  for (const name of element.attributes.keys()) {
    if (!known.includes(name) && !/^xmlns(?::|$)/.test(name)) {
      throw fault(element, `the attribute ${name.slice(0, 40)} is not known`);
    }
  }
}

function placeOf({ name, line }: XmlElement): string {
  return `${name.slice(0, 40)} in line ${line}`;
}

function fault(element: XmlElement, message: string): PolicyFault {
  return new PolicyFault(`${placeOf(element)}: ${message}`);
}
