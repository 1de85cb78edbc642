import { Progress, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { RecordTable } from '../design/record-table.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import type { Overview } from './use-overview.ts';
import classes from './overview.module.css';
import { NO_REALM, realmRows, type RealmRow, soughtRows } from './overview-figures.ts';
import { overviewTexts } from './overview-texts.ts';

interface RealmSectionProps {
  readonly tokens: Overview['tokens'];
  readonly activeUsers: Overview['active_users'];
}

const STATUSES = ['total', 'active', 'inactive', 'assigned', 'unassigned', 'locked'] as const;
/** The most realms that are shown at once; a search finds the others. */
const MAX_REALMS = 10;

/** Tokens and active users by realm: the largest ones, and those that are sought. */
export function RealmSection({ tokens, activeUsers }: RealmSectionProps): ReactNode {
  const t = useTexts(overviewTexts);
  const format = useFormat();
  const [sought, setSought] = useState('');
  const all = realmRows({ tokens, active_users: activeUsers });
  if (all.length === 0) {
    return null;
  }
  const { rows, found } = soughtRows(all, sought, MAX_REALMS);
  return (
    <section className={classes.section}>
      <h2>{t.realms}</h2>
      {all.length > MAX_REALMS && (
        <TextInput
          className={classes.search ?? ''}
          label={t.search}
          value={sought}
          onChange={(event) => {
            setSought(event.currentTarget.value);
          }}
        />
      )}
      <p className={classes.meaning} role="status">
        {found === 0 ? t.noRealmFound : t.shown(format.number(rows.length), format.number(found))}
      </p>
      {rows.length > 0 && (
        <>
          {tokens !== null && <RealmChart rows={rows} />}
          <RealmTable rows={rows} hasTokens={tokens !== null} hasUsers={activeUsers !== null} />
        </>
      )}
    </section>
  );
}

/** Active and inactive tokens of each realm, as bars that begin at one edge. The table below has the numbers. */
function RealmChart({ rows }: { readonly rows: readonly RealmRow[] }): ReactNode {
  const t = useTexts(overviewTexts);
  const max = Math.max(1, ...rows.map(({ tokens }) => (tokens?.active ?? 0) + (tokens?.inactive ?? 0)));
  const share = (count: number | undefined): number => (100 * (count ?? 0)) / max;
  return (
    <figure className={classes.figureBox} role="img" aria-label={t.realmChart}>
      {rows.map(({ realm, tokens }) => (
        <div key={realm} className={classes.bar}>
          <span>{nameOf(realm, t.noRealm)}</span>
          <Progress.Root size="lg">
            <Progress.Section value={share(tokens?.active)} className={classes.active} withAria={false} />
            <Progress.Section value={share(tokens?.inactive)} className={classes.inactive} withAria={false} />
          </Progress.Root>
        </div>
      ))}
      <ul className={classes.legend}>
        <li data-colour="blue">{t.statuses.active}</li>
        <li data-colour="grey">{t.statuses.inactive}</li>
      </ul>
    </figure>
  );
}

interface RealmTableProps {
  readonly rows: readonly RealmRow[];
  readonly hasTokens: boolean;
  readonly hasUsers: boolean;
}

function RealmTable({ rows, hasTokens, hasUsers }: RealmTableProps): ReactNode {
  const t = useTexts(overviewTexts);
  const format = useFormat();
  const shown = (value: number | undefined): string => (value === undefined ? '–' : format.number(value));
  return (
    <RecordTable
      label={t.realms}
      columns={[
        [t.realm, ({ realm }) => <strong>{nameOf(realm, t.noRealm)}</strong>],
        ...STATUSES.map((status) =>
          hasTokens
            ? ([t.statuses[status], ({ tokens }: RealmRow) => shown(tokens?.[status])] as const)
            : null,
        ),
        hasUsers ? [t.activeUsers, ({ activeUsers }) => shown(activeUsers)] : null,
      ]}
      rows={rows}
      keyOf={({ realm }) => realm}
    />
  );
}

function nameOf(realm: string, noRealm: string): string {
  return realm === NO_REALM ? noRealm : realm;
}
