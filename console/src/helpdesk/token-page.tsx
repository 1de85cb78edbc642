import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import classes from './helpdesk.module.css';
import { helpdeskTexts } from './helpdesk-texts.ts';
import { RecentTransactions } from './recent-transactions.tsx';
import { SwitchButtons } from './switch-buttons.tsx';
import { TokenActs } from './token-acts.tsx';
import { TokenBadge } from './token-badge.tsx';
import type { HelpdeskToken } from './helpdesk-values.ts';
import { Owner } from './token-owner.tsx';
import { algorithmOf } from './token-state.ts';
import { tokenTexts } from './token-texts.ts';
import { useNames } from './use-names.ts';

/** Milliseconds between two readings of a token. */
const AGAIN_MS = 10_000;

/** A token with what may be done with it, and its latest transactions. */
export default function TokenPage(): ReactNode {
  const { serial } = useNames('serial');
  const facts = useQuery({
    queryKey: ['helpdesk', 'token', serial],
    queryFn: ({ signal }) => call('/admin/token/show', { serial }, { signal }),
    // Others change it, too.
    refetchInterval: AGAIN_MS,
    refetchOnWindowFocus: 'always',
  });
  return (
    <Page title={serial} actions={facts.data !== undefined && <SwitchButtons token={facts.data} />}>
      <Loaded query={facts}>
        {(token) => (
          <>
            <Facts token={token} />
            <TokenActs token={token} />
            <RecentTransactions transactions={token.transactions} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ token }: { readonly token: HelpdeskToken }): ReactNode {
  const t = useTexts(helpdeskTexts);
  const own = useTexts(tokenTexts);
  const format = useFormat();
  const ofMost = (count: number, max: number | null): string | null =>
    max === null ? null : own.ofMost(format.number(count), format.number(max));
  const { use } = token;
  const rows: readonly (readonly [string, ReactNode])[] = [
    [t.state, <TokenBadge key="state" token={token} />],
    [t.owner, <Owner key="owner" token={token} />],
    [t.description, token.description],
    [t.realms, token.realms.length === 0 ? t.noRealm : token.realms.join(', ')],
    [own.failCountName, own.failCount(format.number(token.fail_count), format.number(token.max_fail))],
    [own.validFrom, use.valid_from && format.time(use.valid_from)],
    [own.validUntil, use.valid_until && format.time(use.valid_until)],
    [own.responses, ofMost(use.use_count, use.max_uses)],
    [own.accepted, ofMost(use.success_count, use.max_successes)],
    [t.lastSuccess, token.last_success_at === null ? t.never : format.time(token.last_success_at)],
    [own.created, format.time(token.created_at)],
    [own.type, own.types[token.type] ?? token.type],
    [own.tokenPin, token.has_pin ? own.pinSet : own.pinNone],
    [own.algorithm, algorithmOf(token.algorithm, own.otp)],
    [own.counter, token.counter],
    [own.timeShift, token.time_shift === 0 ? null : own.seconds(format.number(token.time_shift))],
  ];
  return (
    <dl className={classes.facts}>
      {rows
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
