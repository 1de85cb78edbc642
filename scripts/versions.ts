/** What a release says of itself. */
export interface Said {
  /** The version of package.json. */
  readonly manifest: string;
  readonly lock: {
    readonly version: string;
    readonly packages: Readonly<Record<string, { version: string }>>;
  };
  readonly changelog: string;
  /** Of the commit. */
  readonly tags: readonly string[];
}

/** @returns what disagrees with package.json, for people */
export function disagreements({ manifest, lock, changelog, tags }: Said): readonly string[] {
  const [, latest = 'none', remark = ''] = /^## (\S+)(.*)$/m.exec(changelog) ?? [];
  const released = tags.filter((tag) => /^v\d/.test(tag));
  const said: readonly (readonly [string, string | undefined])[] = [
    ['package-lock.json', lock.version],
    ['package-lock.json, its first package', lock.packages['']?.version],
    ['the first heading of CHANGELOG.md', latest],
    ...released.map((tag) => [`the tag ${tag}`, tag.slice(1)] as const),
  ];
  const faults = said
    .filter(([, version]) => version !== manifest)
    .map(([where, version = 'none']) => `package.json says ${manifest}, ${where} ${version}`);
  const [tag] = released;
  return tag !== undefined && remark.includes('not released')
    ? [...faults, `the commit has the tag ${tag}, and CHANGELOG.md says${remark}`]
    : faults;
}

/** @returns the section of the latest version, without its heading */
export function latestChanges(changelog: string): string {
  const [, rest = ''] = /^## .+\n([^]*)/m.exec(changelog) ?? [];
  const [section = ''] = rest.split(/^## /m);
  return `${section.trim()}\n`;
}
