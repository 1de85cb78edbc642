import { Anchor, Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { useTell } from '../design/notices.tsx';
import { Page } from '../design/page.tsx';
import { useReread } from '../design/use-reread.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { newTokenAddress, tokenAddress, userAuditAddress } from './addresses.ts';
import classes from './helpdesk.module.css';
import { helpdeskTexts } from './helpdesk-texts.ts';
import { RecentTransactions } from './recent-transactions.tsx';
import { SwitchButtons } from './switch-buttons.tsx';
import { ActButtons } from './token-acts.tsx';
import { TokenBadge } from './token-badge.tsx';
import { useNames } from './use-names.ts';

type Person = ValueOf<'/admin/helpdesk/person'>;

/** A user with their tokens and what happened to these lately. */
export default function PersonPage(): ReactNode {
  const t = useTexts(helpdeskTexts);
  const session = useSession();
  const { user, realm, resolver } = useNames('user', 'realm', 'resolver');
  const person = useQuery({
    queryKey: ['helpdesk', 'person', realm, resolver, user],
    queryFn: ({ signal }) => call('/admin/helpdesk/person', { user, realm, resolver }, { signal }),
  });
  return (
    <Page
      title={nameOf(person.data) || user}
      lead={`${user} · ${t.realm}: ${realm}`}
      actions={
        person.data !== undefined && (
          <>
            {session.may('admin', 'audit') && (
              <Anchor href={`#${userAuditAddress({ user, realm })}`}>{t.audit}</Anchor>
            )}
            {session.may('admin', 'init', realm) && (
              <Button component="a" href={`#${newTokenAddress({ user, realm, resolver })}`}>
                {t.enrolFurther}
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={person}>
        {(shown) => (
          <>
            <Details person={shown} />
            <AccountSessions person={shown} />
            <Tokens person={shown} />
            <RecentTransactions transactions={shown.transactions} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** @returns given name and surname; empty where they are not known */
function nameOf(person: Pick<Person, 'details'> | undefined): string {
  const { given_name: given = '', surname = '' } = person?.details ?? {};
  return [given, surname].filter((one) => one !== '').join(' ');
}

function Details({ person: { details, resolver } }: { readonly person: Person }): ReactNode {
  const t = useTexts(helpdeskTexts);
  if (details === null) {
    return <p className={classes.quiet}>{t.namesHidden}</p>;
  }
  return (
    <dl className={classes.facts}>
      <Fact name="Name" value={nameOf({ details })} />
      <Fact name={t.email} value={details.email} />
      <Fact name={t.phone} value={details.phone} />
      <Fact name={t.resolver} value={resolver} />
    </dl>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    value !== '' && (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    )
  );
}

/** The sessions at the account page, where the caller may end them. */
function AccountSessions({
  person: { login: user, realm, resolver, sessions },
}: {
  readonly person: Person;
}): ReactNode {
  const t = useTexts(helpdeskTexts);
  const format = useFormat();
  const tell = useTell();
  const reread = useReread();
  const end = useMutation({
    gcTime: 0,
    mutationFn: () => call('/admin/helpdesk/end-sessions', { user, realm, resolver }),
    onSuccess: async (ended) => {
      tell({ text: t.sessionsEnded(format.number(ended)) });
      await reread(['helpdesk']);
    },
  });
  if (sessions === null || sessions === 0) {
    return null;
  }
  return (
    <div className={classes.actions}>
      <span>{t.sessions(format.number(sessions))}</span>
      <Button
        size="xs"
        variant="default"
        loading={end.isPending}
        onClick={() => {
          end.mutate();
        }}
      >
        {t.endSessions}
      </Button>
      <Failure error={end.error} />
    </div>
  );
}

function Tokens({ person: { tokens, has_more: hasMore } }: { readonly person: Person }): ReactNode {
  const t = useTexts(helpdeskTexts);
  const format = useFormat();
  return (
    <section className={classes.section} aria-label={t.tokens}>
      <h2>{t.tokens}</h2>
      {tokens.length === 0 && <p className={classes.quiet}>{t.noToken}</p>}
      <ul className={classes.hits}>
        {tokens.map((token) => (
          <li key={token.serial} className={classes.hit}>
            <Anchor href={`#${tokenAddress(token.serial)}`}>{token.serial}</Anchor>
            <TokenBadge token={token} />
            <span>{token.description}</span>
            <span className={classes.quiet}>
              {`${t.lastSuccess}: ${token.last_success_at === null ? t.never : format.time(token.last_success_at)}`}
            </span>
            <div className={classes.actions}>
              <SwitchButtons token={token} />
              <ActButtons acts={['lost', 'found']} token={token} isOneOfMany />
            </div>
          </li>
        ))}
      </ul>
      {hasMore && <p className={classes.quiet}>{t.more}</p>}
    </section>
  );
}
