import { Alert, Badge, List, SegmentedControl, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ValueOf } from '../api/call.ts';
import { useFormat } from '../language/format.ts';
import { useLanguage, useTexts } from '../language/language.ts';
import { meaningOf } from './action-meanings.ts';
import { editorTexts } from './editor-texts.ts';
import { explainTexts } from './explain-texts.ts';
import type { Answer } from './question.ts';
import classes from './policies.module.css';
import { policyTexts } from './policy-texts.ts';
import { Reasons } from './reasons.tsx';
import { Refusal } from './refusal.tsx';

type ExplainedRight = NonNullable<Answer['rights']>[number];
type Scopes = ValueOf<'/admin/policy/names'>['scopes'];

interface ExplanationProps {
  readonly answer: Answer;
  readonly scopes: Scopes;
}

/** The answer of the server, each right with the policies that decide on it. */
export function Explanation({ answer, scopes }: ExplanationProps): ReactNode {
  const t = useTexts(explainTexts);
  const { fields } = useTexts(policyTexts);
  const format = useFormat();
  const [shown, setShown] = useState<'all' | 'allowed' | 'refused'>('all');
  const { administrator, user, realm, client, at, rights = [], values = [], refusal } = answer;
  const visible = rights.filter(
    ({ is_allowed: allowed }) => shown === 'all' || allowed === (shown === 'allowed'),
  );
  const who = administrator ?? user ?? t.nobody;
  return (
    <section>
      {refusal !== undefined && <Refusal answer={{ ...answer, refusal }} />}
      {answer.is_known === false && <Alert color="yellow">{t.unknown(who)}</Alert>}
      <p>
        {t.circumstances(who, realm ?? t.anyRealm, client === '' ? t.noAddress : client, format.time(at))}
      </p>
      {rights.length > 1 && (
        <SegmentedControl
          transitionDuration={0}
          className={classes.choice}
          aria-label={t.show}
          value={shown}
          data={(['all', 'allowed', 'refused'] as const).map((value) => ({ value, label: t[value] }))}
          onChange={setShown}
        />
      )}
      {[...new Set(visible.map(({ scope }) => scope))].map((scope) => (
        <section key={scope} aria-label={`${fields.scope}: ${scope}`}>
          <Title order={2} size="h4" mt="md">
            {scope}
          </Title>
          <ul className={classes.rights}>
            {visible
              .filter((right) => right.scope === scope)
              .map((right) => (
                <Right key={right.action} right={right} scopes={scopes} />
              ))}
          </ul>
        </section>
      ))}
      <Values values={values} scopes={scopes} />
    </section>
  );
}

function Right({ right, scopes }: { readonly right: ExplainedRight; readonly scopes: Scopes }): ReactNode {
  const t = useTexts(explainTexts);
  const { scope, action, is_allowed: allowed, reason, policies } = right;
  return (
    <li className={classes.right}>
      <Action scope={scope} action={action} scopes={scopes} />
      <div>
        <Badge variant="light" color={allowed ? 'green' : 'red'}>
          {allowed ? t.yes : t.no}
        </Badge>
        <div className={classes.meaning}>{useExtent(right)}</div>
      </div>
      <div>
        {reason === 'open' && t.open}
        {reason !== 'open' && policies.length === 0 && t.nothing}
        <Reasons policies={policies} />
      </div>
    </li>
  );
}

/** @returns the realms in which a right holds, in words */
function useExtent({ reason, realms }: ExplainedRight): string {
  const t = useTexts(explainTexts);
  if (reason === 'none') {
    return '';
  }
  if (realms.includes('*')) {
    return t.everywhere;
  }
  return realms.length === 0 ? t.nowhere : t.elsewhere(realms.join(', '));
}

function Action({
  scope,
  action,
  scopes,
}: {
  readonly scope: string;
  readonly action: string;
  readonly scopes: Scopes;
}): ReactNode {
  const language = useLanguage();
  const known = scopes.find(({ name }) => name === scope)?.actions.find(({ name }) => name === action);
  return (
    <div>
      <strong>{action}</strong>
      <div className={classes.meaning}>{meaningOf(language, `${scope}:${action}`, known?.meaning ?? '')}</div>
    </div>
  );
}

/** @returns the value of `otppin` in words; an unknown one as it is */
function pinWords(value: string, words: Readonly<Record<string, string>>): string {
  return words[value] ?? value;
}

function Values({
  values,
  scopes,
}: {
  readonly values: NonNullable<Answer['values']>;
  readonly scopes: Scopes;
}): ReactNode {
  const t = useTexts(explainTexts);
  const { otppin } = useTexts(editorTexts);
  return values.length === 0 ? null : (
    <ul className={classes.rights}>
      {values.map(({ action, values: applied, policies }) => (
        <li key={action} className={classes.right}>
          <Action scope="authentication" action={action} scopes={scopes} />
          <div>
            {applied.length === 0 ? (
              t.noValue
            ) : (
              <List size="sm">
                {applied.map((value) => (
                  <List.Item key={value}>{action === 'otppin' ? pinWords(value, otppin) : value}</List.Item>
                ))}
              </List>
            )}
            {applied.length > 1 && t.disagree}
          </div>
          <div>
            {policies.length === 0 && t.nothing}
            <Reasons policies={policies} />
          </div>
        </li>
      ))}
    </ul>
  );
}
