const MAX_NAME_LENGTH = 8192;
const PART =
  /\s*([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)*)\s*=\s*(#(?:[0-9a-fA-F]{2})+|(?:[^,+"\\<>;\0]|\\(?:[ "#+,;<=>\\]|[0-9a-fA-F]{2}))*)/y;

/**
 * Parses a distinguished name (RFC 4514) for comparison.
 * @returns its RDNs from the entry up, each normalized in case and blanks; undefined if the text is no distinguished
 *   name
 */
export function readDistinguishedName(text: string): readonly string[] | undefined {
  if (text.length > MAX_NAME_LENGTH) {
    return undefined;
  }
  return text.trim() === '' ? [] : readParts(text);
}

function readParts(text: string): readonly string[] | undefined {
  const names: string[][] = [[]];
  for (let at = 0; at <= text.length; at += 1) {
    const part = matchAt(PART, text, at);
    if (part === undefined) {
      return undefined;
    }
    const [all, type = '', value = ''] = part;
    names.at(-1)?.push(`${type.toLowerCase()}=${sameForAll(value)}`);
    at += all.length;
    if (!',;+'.includes(text.charAt(at))) {
      return undefined;
    }
    if (text[at] !== '+') {
      names.push([]);
    }
  }
  return names.slice(0, -1).map((parts) => parts.sort().join('+'));
}

/** @returns true if a name is `base` or below it; false for a text that is no distinguished name */
export function isWithin(name: string, base: string): boolean {
  const inner = readDistinguishedName(name);
  const outer = readDistinguishedName(base);
  if (inner === undefined || outer === undefined || inner.length === 0 || inner.length < outer.length) {
    return false;
  }
  const above = inner.slice(inner.length - outer.length);
  return above.every((part, index) => part === outer[index]);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.exec(text) ?? undefined;
}

function sameForAll(value: string): string {
  const bytes = value.replaceAll(/(?:\\[0-9a-fA-F]{2})+/g, (run) =>
    Buffer.from(run.replaceAll('\\', ''), 'hex').toString('utf8'),
  );
  // The remaining backslashes precede the character itself. Separators are escaped again, or `a\,b` would equal `a,b`.
  const plain = bytes.replaceAll(/\\(.)/gs, '$1').normalize('NFKC').toLowerCase();
  return plain
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\,+]/g, String.raw`\$&`);
}
