import { Button, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { explainTexts } from './explain-texts.ts';
import classes from './policies.module.css';
import { hasGroups, isAskable, type ExplanationForm } from './question.ts';

interface ExplainFormProps {
  readonly question: ExplanationForm;
  readonly names: ValueOf<'/admin/policy/names'>;
  readonly isAsking: boolean;
  readonly onChange: (question: ExplanationForm) => void;
  readonly onAsk: () => void;
}

/** The texts of a question. */
type TextPart = 'administrator' | 'groups' | 'user' | 'resolver' | 'client' | 'request';

/** The question: who, where, from where and when. */
export function ExplainForm({ question, names, isAsking, onChange, onAsk }: ExplainFormProps): ReactNode {
  const t = useTexts(explainTexts);
  const { kind } = question;
  const text = (part: TextPart, label: string, description?: string, list?: string): ReactNode => (
    <TextInput
      label={label}
      description={description}
      list={list}
      value={question[part]}
      onChange={(event) => {
        onChange({ ...question, [part]: event.currentTarget.value });
      }}
    />
  );
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        onAsk();
      }}
    >
      <SegmentedControl
        transitionDuration={0}
        className={classes.choice}
        aria-label={t.about}
        value={kind}
        data={(['administrator', 'owner', 'refusal'] as const).map((value) => ({ value, label: t[value] }))}
        withItemsBorders={false}
        onChange={(value) => {
          onChange({ ...question, kind: value });
        }}
      />
      <div className={classes.filters}>
        {kind === 'administrator' && text('administrator', t.name, t.nameHint, 'known-administrators')}
        {kind === 'owner' && text('user', t.login)}
        {kind === 'owner' && text('resolver', t.resolver, undefined, 'known-resolvers')}
        {kind === 'refusal' && text('request', t.request, t.requestHint)}
        {hasGroups(question) && text('groups', t.groups, 'a, b')}
        {kind !== 'refusal' && <Circumstances {...{ question, onChange, realms: names.realms }} />}
      </div>
      {kind !== 'refusal' && text('client', t.client, t.clientHint)}
      <datalist id="known-administrators">
        {names.administrators.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id="known-resolvers">
        {names.resolvers.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div>
        <Button type="submit" loading={isAsking} disabled={!isAskable(question)}>
          {t.ask}
        </Button>
      </div>
    </form>
  );
}

function Circumstances({
  question,
  realms,
  onChange,
}: Pick<ExplainFormProps, 'question' | 'onChange'> & { readonly realms: readonly string[] }): ReactNode {
  const t = useTexts(explainTexts);
  const { typedIn } = useFormat();
  return (
    <>
      <NativeSelect
        label={t.realm}
        value={question.realm}
        data={[{ value: '', label: t.anyRealm }, ...realms]}
        onChange={(event) => {
          onChange({ ...question, realm: event.currentTarget.value });
        }}
      />
      <TextInput
        type="datetime-local"
        label={typedIn(t.time, question.time)}
        description={t.timeHint}
        value={question.time}
        onChange={(event) => {
          onChange({ ...question, time: event.currentTarget.value });
        }}
      />
    </>
  );
}
