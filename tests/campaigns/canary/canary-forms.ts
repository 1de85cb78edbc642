const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An encoding of bytes, by its name. */
export interface CanaryForm {
  readonly name: string;
  readonly text: Buffer;
}

/**
 * @returns the forms of bytes in a text or in other bytes: in clear, and in every encoding, also nested. Encodings that
 *   group bytes appear once for each place of the first byte in its group, without the parts that depend on neighbours
 */
export function formsOf(bytes: Buffer): readonly CanaryForm[] {
  const plain: CanaryForm = { name: 'clear', text: bytes };
  const once = encodings(plain);
  const twice = once.flatMap((form) => [...hexForms(form), ...base64Forms(form), ...percentForms(form)]);
  const different = new Map(
    [plain, ...once, ...twice].reverse().map((form) => [form.text.toString('latin1'), form]),
  );
  return [...different.values()];
}

function encodings(form: CanaryForm): readonly CanaryForm[] {
  return [
    ...hexForms(form),
    ...base64Forms(form),
    ...base32Forms(form),
    ...percentForms(form),
    ...numberForms(form),
    { name: `${form.name} backwards`, text: Buffer.from(form.text).reverse() },
  ];
}

function named(form: CanaryForm, encoding: string, text: string): CanaryForm {
  const name = form.name === 'clear' ? encoding : `${form.name} in ${encoding}`;
  return { name, text: Buffer.from(text, 'latin1') };
}

function hexForms(form: CanaryForm): readonly CanaryForm[] {
  const digits = bytesOf(form).map((byte) => byte.toString(16).padStart(2, '0'));
  return ['', ' ', ':', '\\x', '\\u00', '&#x'].map((between) =>
    named(form, between === '' ? 'hex' : `hex by '${between}'`, digits.join(between)),
  );
}

/** Bytes as printed by JSON, and by PostgreSQL's escapes. */
function numberForms(form: CanaryForm): readonly CanaryForm[] {
  const bytes = bytesOf(form);
  const octal = bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  return [named(form, 'numbers', bytes.join(',')), named(form, 'numbers', bytes.join(', '))].concat(
    named(form, 'octal', octal),
  );
}

/** Percent encoding of all characters, and of those alone that require it. */
function percentForms(form: CanaryForm): readonly CanaryForm[] {
  const all = bytesOf(form).map((byte) => `%${byte.toString(16).padStart(2, '0')}`);
  const some = encodeURIComponent(form.text.toString('latin1'));
  return [named(form, 'percent', all.join('')), named(form, 'percent', some)];
}

function base64Forms(form: CanaryForm): readonly CanaryForm[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), form.text]);
    // Only characters whose bits are all of the secret.
    const from = Math.ceil((offset * 8) / 6);
    const until = Math.floor((padded.length * 8) / 6);
    return [
      named(form, 'base64', padded.toString('base64').slice(from, until)),
      named(form, 'base64url', padded.toString('base64url').slice(from, until)),
    ];
  });
}

function base32Forms(form: CanaryForm): readonly CanaryForm[] {
  const bits = bytesOf(form)
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  return [0, 1, 2, 3, 4].map((skipped) => {
    const groups = bits.slice(skipped).match(/.{5}/g) ?? [];
    return named(form, 'base32', groups.map((group) => BASE32[Number.parseInt(group, 2)]).join(''));
  });
}

function bytesOf({ text }: CanaryForm): readonly number[] {
  return [...text];
}
