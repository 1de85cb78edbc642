import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { transactionAddress } from './addresses.ts';
import classes from './helpdesk.module.css';
import { helpdeskTexts } from './helpdesk-texts.ts';
import { TransactionBadge } from './token-badge.tsx';
import type { RecentTransaction } from './helpdesk-values.ts';

interface RecentProps {
  /** Null: the caller has no right to them. */
  readonly transactions: readonly RecentTransaction[] | null;
}

/** The latest transactions, each of which leads to its history. */
export function RecentTransactions({ transactions }: RecentProps): ReactNode {
  const t = useTexts(helpdeskTexts);
  const format = useFormat();
  return (
    <section className={classes.section} aria-label={t.latest}>
      <h2>{t.latest}</h2>
      {(transactions === null || transactions.length === 0) && (
        <p className={classes.quiet}>{transactions === null ? t.latestHidden : t.noTransaction}</p>
      )}
      {transactions !== null && transactions.length > 0 && (
        <ul className={classes.hits}>
          {transactions.map(({ transaction_id: id, serial, issued_at: issued, state, fail_count: wrong }) => (
            <li key={id} className={classes.hit}>
              <Anchor href={`#${transactionAddress(id)}`}>{format.time(issued)}</Anchor>
              <span>{serial}</span>
              {wrong > 0 && <span>{`${t.wrong}: ${format.number(wrong)}`}</span>}
              <TransactionBadge state={state} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
