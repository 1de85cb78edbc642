import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../api/call.ts';
import { transactionAddress } from '../helpdesk/addresses.ts';
import { useFormat } from '../language/format.ts';
import { useLanguage, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { outcomeColour, subjectPath } from './audit-filters.ts';
import { outcomeText } from './outcome-words.ts';
import { auditTexts } from './audit-texts.ts';
import classes from './audit.module.css';

type AuditRow = ValueOf<'/admin/audit/search'>['rows'][number];

/** Rows of the audit; each opens to all that it holds. */
export function AuditRows({ rows }: { readonly rows: readonly AuditRow[] }): ReactNode {
  const t = useTexts(auditTexts);
  return (
    <div>
      <div className={classes.head} aria-hidden="true">
        {[t.at, t.action, t.serial, t.actor, t.outcome].map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <ul className={classes.rows}>
        {rows.map((row) => (
          <li key={`${row.at} ${row.id}`} className={classes.row}>
            <Row row={row} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Row({ row }: { readonly row: AuditRow }): ReactNode {
  const t = useTexts(auditTexts);
  const format = useFormat();
  return (
    <details>
      <summary className={classes.summary}>
        <span className={classes.time}>{format.time(row.at)}</span>
        <span className={classes.cell} data-name={t.action}>
          {row.action}
        </span>
        <span className={classes.cell} data-name={t.serial}>
          {row.subject}
        </span>
        <span className={classes.cell} data-name={t.actor}>
          {row.actor === '' ? t.openEndpoint : row.actor}
        </span>
        <span data-name={t.outcome}>
          <Outcome row={row} />
        </span>
      </summary>
      <Details row={row} />
    </details>
  );
}

function Outcome({ row: { outcome, action } }: { readonly row: AuditRow }): ReactNode {
  const colour = outcomeColour(outcome);
  const text = outcomeText(outcome, useLanguage(), action);
  return colour === 'gray' ? (
    <span className={classes.cell}>{text}</span>
  ) : (
    <strong className={classes.cell} data-outcome={colour}>
      {text}
    </strong>
  );
}

function Details({ row }: { readonly row: AuditRow }): ReactNode {
  const t = useTexts(auditTexts);
  const language = useLanguage();
  const session = useSession();
  const path = session.may('admin', 'show') ? subjectPath(row) : undefined;
  const entries: readonly (readonly [name: string, value: ReactNode])[] = [
    [t.at, row.at],
    [
      t.serial,
      path === undefined ? (
        row.subject
      ) : (
        <Anchor inherit component={Link} href={path}>
          {row.subject}
        </Anchor>
      ),
    ],
    [t.realm, row.realm],
    [t.client, row.client],
    [
      t.transaction_id,
      row.transaction_id !== '' && session.may('admin', 'transaction') ? (
        <Anchor inherit component={Link} href={transactionAddress(row.transaction_id)}>
          {row.transaction_id}
        </Anchor>
      ) : (
        row.transaction_id
      ),
    ],
    [
      t.request_id,
      row.request_id !== '' && row.outcome.startsWith('refused') && session.may('system', 'read') ? (
        <Anchor inherit component={Link} href={`/policies/explain/${encodeURIComponent(row.request_id)}`}>
          {row.request_id}: {t.explain}
        </Anchor>
      ) : (
        row.request_id
      ),
    ],
    [t.outcome, outcomeText(row.outcome, language, row.action)],
    [t.stored, <span lang="en">{row.outcome}</span>],
    [t.id, row.id],
  ];
  return (
    <dl className={classes.details}>
      {entries.map(([name, value]) => (
        <div key={name} className={classes.pair}>
          <dt>{name}</dt>
          <dd>{value === '' ? t.none : value}</dd>
        </div>
      ))}
    </dl>
  );
}
