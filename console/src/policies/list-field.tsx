import { Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import { useLanguage, useTexts } from '../language/language.ts';
import { formMeaning } from './action-meanings.ts';
import { editorTexts } from './editor-texts.ts';
import classes from './policies.module.css';
import { entriesOf, withEntry } from './policy-draft.ts';
import { policyTexts } from './policy-texts.ts';

type Names = ValueOf<'/admin/policy/names'>;

interface ListFieldProps {
  readonly field: 'realm' | 'user' | 'client' | 'time';
  readonly value: string;
  readonly error: string | undefined;
  /** Entries that a click adds. */
  readonly known: readonly string[];
  readonly forms: Names['forms']['user'];
  readonly onChange: (value: string) => void;
}

/** More would hide the form. */
const MAX_KNOWN = 20;

/** A field of a policy that is a list, with known entries and the forms that it takes. */
export function ListField({ field, value, error, known, forms, onChange }: ListFieldProps): ReactNode {
  const t = useTexts(editorTexts);
  const { fields } = useTexts(policyTexts);
  const language = useLanguage();
  const others = known.filter((entry) => !entriesOf(value).includes(entry)).slice(0, MAX_KNOWN);
  return (
    <div>
      <TextInput
        label={fields[field]}
        description={t.hints[field]}
        value={value}
        error={error}
        onChange={(event) => {
          onChange(event.currentTarget.value);
        }}
      />
      {others.length > 0 && (
        <div className={classes.entries} role="group" aria-label={`${fields[field]}: ${t.add}`}>
          <span>{t.add}</span>
          {others.map((entry) => (
            <Button
              key={entry}
              size="compact-xs"
              variant="default"
              onClick={() => {
                onChange(withEntry(value, entry, true));
              }}
            >
              {entry}
            </Button>
          ))}
        </div>
      )}
      <details className={classes.forms}>
        <summary>{`${t.forms}: ${fields[field]}`}</summary>
        <dl>
          {forms.map(({ form, meaning }) => (
            <div key={form} className={classes.entries}>
              <dt>
                <code>{form === '' ? '–' : form}</code>
              </dt>
              <dd>{formMeaning(language, meaning)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}
