import { Checkbox, Fieldset, NativeSelect, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import { useLanguage, useTexts } from '../language/language.ts';
import { formMeaning, meaningOf } from './action-meanings.ts';
import { editorTexts } from './editor-texts.ts';
import classes from './policies.module.css';
import { entriesOf, valueIn, withEntry, withValue } from './policy-draft.ts';
import { policyTexts } from './policy-texts.ts';

type Scope = ValueOf<'/admin/policy/names'>['scopes'][number];

interface ActionChoiceProps {
  readonly scope: Scope | undefined;
  readonly actions: string;
  readonly error: string | undefined;
  readonly onChange: (actions: string) => void;
}

/** The known actions of a scope, with their meanings; those with a value get a field. */
export function ActionChoice({ scope, actions, error, onChange }: ActionChoiceProps): ReactNode {
  const t = useTexts(editorTexts);
  const { fields } = useTexts(policyTexts);
  const language = useLanguage();
  const chosen = entriesOf(actions);
  const hasValues = scope?.actions.some(({ value }) => value !== undefined) === true;
  return (
    <Fieldset legend={fields.action}>
      <div className={`${classes.actions} ${hasValues ? classes.values : ''}`}>
        {scope?.has_wildcard === true && (
          <Checkbox
            label="*"
            description={t.all}
            checked={chosen.includes('*')}
            onChange={(event) => {
              onChange(withEntry(actions, '*', event.currentTarget.checked));
            }}
          />
        )}
        {scope?.actions.map(({ name, meaning, value }) =>
          value === undefined ? (
            <Checkbox
              key={name}
              label={name}
              description={meaningOf(language, `${scope.name}:${name}`, meaning)}
              checked={chosen.includes(name)}
              onChange={(event) => {
                onChange(withEntry(actions, name, event.currentTarget.checked));
              }}
            />
          ) : name === 'otppin' ? (
            <PinChoice
              key={name}
              description={meaningOf(language, 'authentication:otppin', meaning)}
              actions={actions}
              onChange={onChange}
            />
          ) : (
            <TextInput
              key={name}
              label={name}
              description={`${meaningOf(language, `${scope.name}:${name}`, meaning)}: ${formMeaning(language, value)}`}
              value={valueIn(actions, name)}
              onChange={(event) => {
                onChange(withValue(actions, name, event.currentTarget.value));
              }}
            />
          ),
        )}
      </div>
      {error !== undefined && (
        <Text c="var(--mantine-color-error)" size="sm" mt="xs" role="alert">
          {error}
        </Text>
      )}
    </Fieldset>
  );
}

/** The value of `otppin`, in words. */
function PinChoice({
  description,
  actions,
  onChange,
}: Pick<ActionChoiceProps, 'actions' | 'onChange'> & { readonly description: string }): ReactNode {
  const t = useTexts(editorTexts);
  return (
    <NativeSelect
      label="otppin"
      description={description}
      value={valueIn(actions, 'otppin')}
      data={(['', '0', '1', '2'] as const).map((one) => ({ value: one, label: t.otppin[one] }))}
      onChange={(event) => {
        onChange(withValue(actions, 'otppin', event.currentTarget.value));
      }}
    />
  );
}
