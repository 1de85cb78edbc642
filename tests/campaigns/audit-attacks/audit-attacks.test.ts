import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import type { AuditRow } from '../../../src/audit/audit-row.ts';
import type { Checkpoint } from '../../../src/audit/checkpoint.ts';
import { AuditStore } from '../../../src/audit/audit-store.ts';
import { type AuditFinding, verifyTrail } from '../../../src/audit/verification.ts';
import { campaignSeed, shortOrLong } from '../../support/campaign.ts';
import { AuditedDatabase } from '../../support/database/audited-database.ts';
import { ACT } from '../../support/values/token-values.ts';

// Signatures by the thousand, which take some seconds of a machine that has nothing else to do.
jest.setTimeout(1_200_000);

const RUNS = shortOrLong(200, 800);
/** A failure names it, for CAMPAIGN_SEED. */
const SEED = campaignSeed(20_261_125);

let audited: AuditedDatabase;
const rows: AuditRow[] = [];
const checkpoints: Checkpoint[] = [];

/** Checkpoints of one to seven rows, all of them sealed. */
beforeAll(async () => {
  audited = await AuditedDatabase.create();
  const server = audited.server();
  for (let round = 1; round <= 7; round += 1) {
    for (let number = 1; number <= round; number += 1) {
      await server.audit.autocommit.write(ACT, `${round} ${number}`, 'done', ['north']);
    }
    await audited.seal();
  }
  for await (const part of (await new AuditStore(audited.test).trail()).parts) {
    rows.push(...part.rows);
    checkpoints.push(...(part.checkpoint === undefined ? [] : [part.checkpoint]));
  }
});
afterAll(() => audited.drop());

/** Verifies rows and checkpoints as the database would give them. */
async function verify(
  someRows: readonly AuditRow[],
  someCheckpoints: readonly Checkpoint[] = checkpoints,
): Promise<readonly AuditFinding[]> {
  const found: AuditFinding[] = [];
  const parts = async function* () {
    for (const checkpoint of someCheckpoints) {
      const { afterId, lastId } = checkpoint;
      const covered = ({ id }: AuditRow): boolean =>
        BigInt(id) > BigInt(afterId) && BigInt(id) <= BigInt(lastId);
      yield await Promise.resolve({ checkpoint, rows: someRows.filter(covered) });
    }
  };
  await verifyTrail(
    { isWhole: true, pruning: undefined, parts: parts() },
    { keys: audited.authority.keys(), report: (finding) => found.push(finding) },
  );
  return found;
}

function nth<Item>(list: readonly Item[], number: number): Item {
  const item = list[number % list.length];
  if (item === undefined) {
    throw new Error('The trail is empty');
  }
  return item;
}

const MEMBERS = Object.keys({
  id: 0,
  at: 0,
  actor: 0,
  action: 0,
  subject: 0,
  realm: 0,
  outcome: 0,
  client: 0,
  requestId: 0,
  transaction: 0,
} satisfies Record<keyof AuditRow, 0>) as (keyof AuditRow)[];

const spot = fc.nat({ max: 10_000 });
const edits = fc.oneof(
  fc.record({
    kind: fc.constant('change' as const),
    spot,
    member: fc.constantFrom(...MEMBERS),
    text: fc.string({ minLength: 1, unit: 'grapheme' }),
  }),
  fc.record({ kind: fc.constant('remove' as const), spot }),
  fc.record({ kind: fc.constant('copy' as const), spot }),
  fc.record({ kind: fc.constant('swap' as const), spot, other: spot }),
);
type Edit = typeof edits extends fc.Arbitrary<infer Kind> ? Kind : never;

/** @returns the rows after the edit, and the ids that a finding must name */
function apply(edit: Edit): { readonly edited: readonly AuditRow[]; readonly named: readonly string[] } {
  const row = nth(rows, edit.spot);
  const others = rows.filter((one) => one !== row);
  switch (edit.kind) {
    case 'change': {
      const changed = edit.member === 'id' ? '100000' : `${row[edit.member]}${edit.text}`;
      return { edited: [...others, { ...row, [edit.member]: changed }], named: [row.id] };
    }
    case 'remove':
      return { edited: others, named: [row.id] };
    case 'copy':
      return { edited: [...rows, row], named: [row.id] };
    case 'swap': {
      const other = nth(others, edit.other);
      const swapped = [
        { ...row, id: other.id },
        { ...other, id: row.id },
      ];
      return { edited: [...others.filter((one) => one !== other), ...swapped], named: [row.id, other.id] };
    }
  }
}

describe('any single edit of a trail without a key', () => {
  it('is found, and the row is named', async () => {
    expect(await verify(rows)).toEqual([]);
    await fc.assert(
      fc.asyncProperty(edits, async (edit) => {
        const { edited, named } = apply(edit);
        const ids = (await verify(edited)).map(({ id }) => id);
        expect(ids).toEqual(expect.arrayContaining([...named]));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('of checkpoints is found, and the checkpoint is named', async () => {
    const members = Object.keys(nth(checkpoints, 0)) as (keyof Checkpoint)[];
    await fc.assert(
      fc.asyncProperty(spot, fc.constantFrom(...members, 'removed' as const), async (where, member) => {
        // The last one can be cut off: what anchors it is the log.
        const checkpoint = nth(checkpoints.slice(0, -1), where);
        const edited = checkpoints.flatMap((one) =>
          one !== checkpoint ? [one] : member === 'removed' ? [] : [changed(one, member)],
        );
        const number = String(checkpoint.number);
        const found = (await verify(rows, edited)).filter(({ target: of }) => of === 'checkpoint');
        const isNamed = found.some(
          ({ id, reason }) => [number, `${number}-${number}`].includes(id ?? '') || reason.includes(number),
        );
        expect({ found, isNamed: isNamed || member === 'number' }).toEqual({ found, isNamed: true });
        expect(found).not.toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it('is found with any number of rows for one place', async () => {
    const copies = Array.from({ length: 5_000 }, () => nth(rows, 3));
    const findings = await verify([...rows, ...copies]);
    expect(findings).toHaveLength(5_000);
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['inserted']));
  });
});

function changed(checkpoint: Checkpoint, member: keyof Checkpoint): Checkpoint {
  const value = checkpoint[member];
  if (Buffer.isBuffer(value)) {
    return {
      ...checkpoint,
      [member]: Buffer.from(value.map((byte, place) => (place === 5 ? byte ^ 1 : byte))),
    };
  }
  return {
    ...checkpoint,
    [member]: typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : `${value}0`,
  };
}
