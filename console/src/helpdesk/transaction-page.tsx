import { Anchor, Button } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { CopyTextButton } from '../design/copy-text-button.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { QrCode } from '../design/qr-code.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { enrolAgainAddress, tokenAddress } from './addresses.ts';
import classes from './helpdesk.module.css';
import { helpdeskTexts } from './helpdesk-texts.ts';
import type { HelpdeskToken } from './helpdesk-values.ts';
import { SwitchButtons } from './switch-buttons.tsx';
import { ActButtons } from './token-acts.tsx';
import { mayOnToken, occasionOf, type Remedies, remediesOf, wasReported } from './token-state.ts';
import { tokenTexts } from './token-texts.ts';
import { Owner } from './token-owner.tsx';
import { TransactionBadge } from './token-badge.tsx';
import { OUT_OF_STEP, PIN_WRONG, transactionTexts } from './transaction-texts.ts';
import { useNames } from './use-names.ts';

type History = ValueOf<'/admin/transaction/show'>;

/** Milliseconds after which an open transaction is looked at again. */
const AGAIN_MS = 3_000;

/** The history of a transaction. */
export default function TransactionPage(): ReactNode {
  const t = useTexts(helpdeskTexts);
  const { id } = useNames('id');
  const history = useQuery({
    queryKey: ['helpdesk', 'transaction', id],
    queryFn: ({ signal }) => call('/admin/transaction/show', { transaction_id: id }, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'open' ? AGAIN_MS : false),
  });
  return (
    <Page title={t.transaction} lead={id}>
      <Loaded query={history}>
        {(shown) => (
          <>
            <Facts history={shown} />
            <NextSteps history={shown} />
            <Code code={shown.code} />
            <Events history={shown} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ history }: { readonly history: History }): ReactNode {
  const names = useTexts(helpdeskTexts);
  const t = useTexts(transactionTexts);
  const session = useSession();
  const { serial, state, realms } = history;
  return (
    <dl className={classes.facts}>
      <dt>{names.state}</dt>
      <dd>
        <TransactionBadge state={state} />{' '}
        {state !== 'reported' && wasReported(history) && <TransactionBadge state="reported" />}
      </dd>
      <dt>{names.serial}</dt>
      <dd>
        {session.may('admin', 'show') ? <Anchor href={`#${tokenAddress(serial)}`}>{serial}</Anchor> : serial}
      </dd>
      <TokenOwner serial={serial} />
      <dt>{names.realms}</dt>
      <dd>{realms.length === 0 ? names.noRealm : realms.join(', ')}</dd>
      <dt>{t.data}</dt>
      <dd className={classes.verbatim}>{dataText(t, history)}</dd>
    </dl>
  );
}

/** @returns the token as it is now, for those who may see tokens */
function useToken(serial: string): HelpdeskToken | undefined {
  const maySee = useSession().may('admin', 'show');
  const { data } = useQuery({
    queryKey: ['helpdesk', 'token', serial],
    queryFn: maySee ? ({ signal }) => call('/admin/token/show', { serial }, { signal }) : skipToken,
  });
  return data;
}

function TokenOwner({ serial }: { readonly serial: string }): ReactNode {
  const t = useTexts(helpdeskTexts);
  const token = useToken(serial);
  return (
    token !== undefined && (
      <>
        <dt>{t.owner}</dt>
        <dd>
          <Owner token={token} />
        </dd>
      </>
    )
  );
}

/** What to do after a report or a refusal, as far as the caller may. */
function NextSteps({ history }: { readonly history: History }): ReactNode {
  const token = useToken(history.serial);
  switch (occasionOf(history)) {
    case 'report':
      return <AfterReport token={token} />;
    case 'refusal':
      return token !== undefined && <AfterRefusal history={history} token={token} />;
    case undefined:
      return null;
  }
}

/** Somebody else may know the password: nothing that opens the token again is offered. */
function AfterReport({ token }: { readonly token: HelpdeskToken | undefined }): ReactNode {
  const t = useTexts(transactionTexts);
  return (
    <section className={classes.section} aria-label={t.nextSteps}>
      <h2>{t.nextSteps}</h2>
      <p>{t.reportedHelp}</p>
      <div className={classes.actions}>
        {token !== undefined && <ActButtons acts={['lost']} token={token} />}
      </div>
    </section>
  );
}

interface AfterRefusalProps {
  readonly history: History;
  readonly token: HelpdeskToken;
}

function AfterRefusal({ history: { serial, events }, token }: AfterRefusalProps): ReactNode {
  const t = useTexts(transactionTexts);
  const acts = useTexts(tokenTexts);
  const session = useSession();
  // A response to a challenge that is closed tells nothing of the ones before.
  const reasons = events.map(({ reason }) => reason);
  const remedies = remediesOf(token, {
    isOutOfStep: reasons.includes(OUT_OF_STEP),
    isPinWrong: reasons.includes(PIN_WRONG),
  });
  const isToEnrol = remedies.isToEnrol && mayOnToken(session, 'init', token);
  return (
    <section className={classes.section} aria-label={t.nextSteps}>
      <h2>{t.nextSteps}</h2>
      <p className={classes.quiet}>{isEmpty(remedies) ? t.nothingToMend(serial) : t.stepsHelp(serial)}</p>
      <div className={classes.actions}>
        <SwitchButtons acts={remedies.switches} token={token} />
        <ActButtons acts={remedies.acts} token={token} />
        {isToEnrol && (
          <Button size="xs" variant="default" component="a" href={`#${enrolAgainAddress(serial)}`}>
            {acts.enrolAgain}
          </Button>
        )}
      </div>
    </section>
  );
}

function isEmpty({ switches, acts, isToEnrol }: Remedies): boolean {
  return switches.length === 0 && acts.length === 0 && !isToEnrol;
}

function dataText(
  t: { readonly withheld: string; readonly gone: string },
  { data, is_data_withheld: isWithheld, is_stored: isStored }: History,
): string {
  if (isWithheld) {
    return t.withheld;
  }
  return isStored ? (data ?? '') : t.gone;
}

/** For those who may have such codes made, as long as a response is awaited. */
function Code({ code }: { readonly code: string | null }): ReactNode {
  const t = useTexts(transactionTexts);
  return (
    code !== null && (
      <section className={classes.section} aria-label={t.code}>
        <h2>{t.code}</h2>
        <p role="status" className={classes.quiet}>
          {t.waiting}
        </p>
        <QrCode text={code} label={t.qrCode} />
        <div>
          <CopyTextButton text={code} />
        </div>
      </section>
    )
  );
}

function Events({ history: { events, further_events: more } }: { readonly history: History }): ReactNode {
  const t = useTexts(transactionTexts);
  const format = useFormat();
  return (
    <section className={classes.section} aria-label={t.timeline}>
      <h2>{t.timeline}</h2>
      <ol className={classes.timeline}>
        {events.map((one, place) => (
          <li key={`${one.at} ${place}`} className={classes.event}>
            <p>
              <strong>{t.events[one.event]}</strong> <time dateTime={one.at}>{format.time(one.at)}</time>
            </p>
            <p className={classes.quiet}>
              {[
                t.reasons[one.reason] ?? one.reason,
                t.actions[one.action] ?? one.action,
                one.actor === '' ? '' : t.by(one.actor),
                one.client === '' ? '' : t.from(one.client),
                one.is_derived ? t.derived : '',
              ]
                .filter((text) => text !== '')
                .join(' · ')}
            </p>
          </li>
        ))}
      </ol>
      {more > 0 && <p className={classes.quiet}>{t.more(format.number(more))}</p>}
    </section>
  );
}
