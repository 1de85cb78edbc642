import { NativeSelect, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ValueOf } from '../api/call.ts';
import { type Language, useLanguage, useTexts } from '../language/language.ts';
import { ActionChoice } from './action-choice.tsx';
import { meaningOf } from './action-meanings.ts';
import { editorTexts } from './editor-texts.ts';
import { ListField } from './list-field.tsx';
import classes from './policies.module.css';
import { entriesOf, type PolicyDraft, type TextField } from './policy-draft.ts';
import { policyTexts } from './policy-texts.ts';

type Names = ValueOf<'/admin/policy/names'>;

interface PolicyFormProps {
  readonly draft: PolicyDraft;
  /** True for a policy that exists: its name stays. */
  readonly isNamed: boolean;
  readonly names: Names;
  readonly errorOf: (field: TextField) => string | undefined;
  readonly onChange: (draft: PolicyDraft) => void;
}

/** The fields of a policy. */
export function PolicyForm({ draft, isNamed, names, errorOf, onChange }: PolicyFormProps): ReactNode {
  const t = useTexts(editorTexts);
  const { fields } = useTexts(policyTexts);
  const language = useLanguage();
  const scope = names.scopes.find(({ name }) => name === draft.scope);
  return (
    <div className={classes.form}>
      <div className={classes.basics}>
        <TextInput
          label={fields.name}
          value={draft.name}
          readOnly={isNamed}
          error={errorOf('name')}
          onChange={(event) => {
            onChange({ ...draft, name: event.currentTarget.value });
          }}
        />
        <NativeSelect
          label={fields.scope}
          value={draft.scope}
          error={errorOf('scope')}
          data={scopesOf(names, draft.scope, language)}
          onChange={(event) => {
            onChange(withScope(draft, event.currentTarget.value, names));
          }}
        />
        <Switch
          label={t.active}
          checked={draft.active}
          onChange={(event) => {
            onChange({ ...draft, active: event.currentTarget.checked });
          }}
        />
      </div>
      <ActionChoice
        scope={scope}
        actions={draft.action}
        error={errorOf('action')}
        onChange={(action) => {
          onChange({ ...draft, action });
        }}
      />
      {(['realm', 'user', 'client', 'time'] as const).map((field) => (
        <ListField
          key={field}
          field={field}
          value={draft[field]}
          error={errorOf(field)}
          known={knownEntries(field, names, draft.scope)}
          forms={names.forms[field]}
          onChange={(value) => {
            onChange({ ...draft, [field]: value });
          }}
        />
      ))}
    </div>
  );
}

function scopesOf(names: Names, present: string, language: Language): { value: string; label: string }[] {
  const known = names.scopes.map(({ name, meaning }) => ({
    value: name,
    label: `${name}: ${meaningOf(language, name, meaning)}`,
  }));
  // A policy that was imported may have another one.
  return known.some(({ value }) => value === present)
    ? known
    : [{ value: present, label: present === '' ? '–' : present }, ...known];
}

/** @returns the draft in another scope, with those of its actions that the scope knows */
function withScope(draft: PolicyDraft, name: string, { scopes }: Names): PolicyDraft {
  const scope = scopes.find((one) => one.name === name);
  const kept = entriesOf(draft.action).filter(
    (entry) =>
      (entry === '*' && scope?.has_wildcard === true) ||
      scope?.actions.some((action) => action.name === entry.split('=', 1)[0]?.trim()) === true,
  );
  return { ...draft, scope: name, action: kept.join(', ') };
}

function knownEntries(
  field: 'realm' | 'user' | 'client' | 'time',
  { realms, administrators, groups, resolvers }: Names,
  scope: string,
): readonly string[] {
  if (field === 'realm') {
    return ['*', ...realms];
  }
  if (field !== 'user') {
    return [];
  }
  return scope === 'authentication' || scope === 'selfservice'
    ? ['*', ...realms.map((name) => `*@${name}`), ...resolvers.map((name) => `${name}:`)]
    : ['*', ...administrators, ...groups.map((name) => `group:${name}`)];
}
